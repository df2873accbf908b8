#include "cli/runs/run_options.h"

#include "lib/common/options.h"
#include "lib/process/environment.h"

namespace twofold::cli {
namespace {

void AddForms(CLI::App& app, RunCommand& command) {
  CLI::Option_group* form = app.add_option_group("What to do, one of");
  form->add_option("FILE", command.file, "A benchmark or a BenchmarkSet to run, YAML or JSON");
  form->add_option("--resume", command.resume,
                   "Id of a run: attach to it, and submit what was withdrawn or is not there yet");
  form->add_option("--retry-failed", command.retry_failed,
                   "Id of a run: run its failed, timed out and lost jobs again, and attach to it");
  form->add_option("--pause", command.pause,
                   "Id of a run: withdraw what waits; what runs may end. --resume goes on");
  form->require_option(1);
}

void AddPlaces(CLI::App& app, RunCommand& command) {
  app.add_option("--queue", command.queue, "Queue of the jobs; else the one named like the suite")
      ->check(QueueName());
  app.add_option("--nodes", command.nodes,
                 "Nodes that nodes.select chooses from; else those of the queue's workers")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option(
         "--spread", command.spread,
         "Workers of a job: any, or node: each on a node of its own; else node if the queue "
         "has workers on enough nodes")
      ->check(CLI::IsMember({"any", "node"}));
  app.add_flag("--unchecked", command.unchecked,
               "Submit jobs that no connected worker can run: they wait for workers that can");
}

void AddLocal(CLI::App& app, RunCommand& command) {
  CLI::Option* local =
      app.add_flag("--local", command.local,
                   "On this machine alone: start a cluster with enough workers, run, stop it");
  for (const char* other : {"--detach", "--pause", "--nodes", "--unchecked"}) {
    local->excludes(other);
  }
  app.add_option("--keep", command.keep,
                 "Folder for the store of local runs and the logs of the last one; else "
                 "$XDG_STATE_HOME/twofold or ~/.local/state/twofold")
      ->needs(local);
  command.programs = process::OwnFolder();
  app.add_option("--programs", command.programs, "Folder of twofold-frontend and twofold-backend")
      ->capture_default_str()
      ->needs(local);
  const auto allow = [&command](const std::string& path) {
    command.allow.insert(command.allow.end(),
                         {"--allow-path", std::filesystem::absolute(path).string()});
  };
  app.add_option_function<std::string>(
         "--allow-path", allow,
         "A folder or file that specs may name, for the local workers; may be given more than once")
      ->trigger_on_parse()
      ->allow_extra_args(false)
      ->needs(local);
  app.add_flag_callback(
         "--allow-options", [&command] { command.allow.emplace_back("--allow-options"); },
         "Specs may have options that are on no word list, for the local workers")
      ->needs(local);
  app.add_option("--workload", command.workload,
                 "What local workers run instead of the suite: a program, which gets the spec as "
                 "its last argument; repeatable for arguments before it")
      ->allow_extra_args(false)
      ->needs(local);
}

}  // namespace

void Declare(CLI::App& app, RunCommand& command) {
  AddForms(app, command);
  app.add_option("--runid", command.id,
                 "Id of the new run; a run that has it already is shown, and nothing is run");
  app.add_flag("--dry-run", command.dry_run, "List the jobs; nothing is run");
  app.add_flag("--detach", command.detach, "Submit the jobs and return; --resume attaches");
  AddPlaces(app, command);
  AddLocal(app, command);
}

}  // namespace twofold::cli
