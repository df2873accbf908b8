#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace twofold::objects {

/// Takes the content of an answer, piece by piece.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void Take(std::string_view bytes) = 0;
};

/// An answer while it comes in: Beast reads the bytes, this keeps what is of use and allocates
/// nothing for all else. Give it bytes by put(); it may leave some, which come again with more.
class Answer : public boost::beast::http::basic_parser<false> {
 public:
  /// What is said of a failure is kept up to this; of all else, up to `keep`.
  static constexpr std::size_t kKeptOfFailure = 16 << 10;

  /// `sink` gets the content of an answer that is a success; null: it is thrown away. Up to `keep`
  /// bytes of it are in body(). `no_content`: that of a HEAD.
  Answer(Sink* sink, std::size_t keep, bool no_content);

  /// Of blanks that follow each other the first is kept: S3 sends blanks for minutes while it puts
  /// the parts of an upload together, and says then how that went.
  void SkipBlanks() { skip_blanks_ = true; }

  [[nodiscard]] unsigned code() const { return code_; }
  [[nodiscard]] bool is_success() const { return code_ / 100 == 2; }
  [[nodiscard]] bool is_redirect() const { return code_ / 100 == 3 && !location_.empty(); }
  [[nodiscard]] const std::string& location() const { return location_; }
  [[nodiscard]] const std::string& etag() const { return etag_; }
  [[nodiscard]] const std::string& date() const { return date_; }
  [[nodiscard]] const std::string& region() const { return region_; }  ///< that S3 names
  [[nodiscard]] const std::string& cksum_type() const { return cksum_type_; }
  [[nodiscard]] const std::string& cksum_value() const { return cksum_value_; }
  [[nodiscard]] std::uint64_t received() const { return received_; }  ///< of content
  [[nodiscard]] const std::string& body() const { return body_; }
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  using Text = boost::beast::string_view;
  using Error = boost::beast::error_code;
  using Field = boost::beast::http::field;

  void on_request_impl(boost::beast::http::verb, Text, Text, int, Error&) override {}
  void on_response_impl(int code, Text, int, Error&) override {
    code_ = static_cast<unsigned>(code);
  }
  void on_field_impl(Field field, Text name, Text value, Error& error) override;
  void on_header_impl(Error&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Error&) override {}
  std::size_t on_body_impl(Text bytes, Error&) override { return Take(bytes); }
  void on_chunk_header_impl(std::uint64_t, Text, Error&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, Text bytes, Error&) override { return Take(bytes); }
  void on_finish_impl(Error&) override {}

  std::size_t Take(Text bytes);
  void Keep(Text bytes, std::size_t most);

  Sink* sink_;
  std::size_t keep_;
  unsigned code_ = 0;
  std::uint64_t received_ = 0;
  std::string location_;
  std::string etag_;
  std::string date_;
  std::string region_;
  std::string cksum_type_;
  std::string cksum_value_;
  std::string body_;
  bool skip_blanks_ = false;
  bool is_cut_ = false;
};

}  // namespace twofold::objects
