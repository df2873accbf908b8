// A client and a worker in Go's gRPC, which nobody of this project wrote.
//
// strangers [OPTIONS] CLIENTS WORKERS: both speak to these addresses as any program of others would, and say what is not as it
// should be. The queue `sleep` takes queueLimit waiting jobs; twofold/v1 is what protoc made of proto/twofold/v1.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"

	v1 "twofold/v1"
)

const (
	jobs       = 500
	queueLimit = 1000
	atOnce     = 300
	patience   = 30 * time.Second
)

var (
	clientToken = flag.String("client-token", "", "of the client")
	workerToken = flag.String("worker-token", "", "of the worker")
	ca          = flag.String("ca", "", "connect with TLS, trust this file")
	cert        = flag.String("cert", "", "the certificate to show")
	key         = flag.String("key", "", "its private key")
	resets      = flag.Bool("resets", false, "a call that is answered before its request has ended may be reset on the way: HAProxy does that")
)

// bearer is shown with each call.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}
func (bearer) RequireTransportSecurity() bool { return true }

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func secured(certificates ...tls.Certificate) grpc.DialOption {
	pem, err := os.ReadFile(*ca)
	must(err)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(pem)
	return grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{RootCAs: trusted, Certificates: certificates}))
}

func connect(address, token string) *grpc.ClientConn {
	options := []grpc.DialOption{grpc.WithInsecure()}
	if *ca != "" {
		ours, err := tls.LoadX509KeyPair(*cert, *key)
		must(err)
		options = []grpc.DialOption{secured(ours)}
	}
	if token != "" {
		options = append(options, grpc.WithPerRPCCredentials(bearer(token)))
	}
	connection, err := grpc.Dial(address, options...)
	must(err)
	return connection
}

// soon ends calls that take too long; its timer ends with the program.
func soon() context.Context {
	ctx, _ := context.WithTimeout(context.Background(), patience)
	return ctx
}

// expect says what is wrong if a call did not end so, with these words.
func expect(err error, code codes.Code, words ...string) error {
	said := status.Convert(err)
	if said.Code() != code {
		return fmt.Errorf("%v, not %v: %s", said.Code(), code, said.Message())
	}
	for _, word := range words {
		if !strings.Contains(said.Message(), word) {
			return fmt.Errorf("no %q in %q", word, said.Message())
		}
	}
	return nil
}

// first is the first error.
func first(results ...error) error {
	for _, err := range results {
		if err != nil {
			return err
		}
	}
	return nil
}

// stranger has what the checks share.
type stranger struct {
	connection *grpc.ClientConn
	clients    v1.ClientsClient
	workers    *grpc.ClientConn
	ended      uint64 // a job that has ended, from jobIsFollowed on
	held       uint64 // a job that waits for an hour, from deadlineEndsTheCall on
}

func main() {
	flag.Parse()
	s := &stranger{connection: connect(flag.Arg(0), *clientToken), workers: connect(flag.Arg(1), *workerToken)}
	s.clients = v1.NewClientsClient(s.connection)
	worker, err := newWorker(s.workers)
	must(err)
	for _, check := range []struct {
		what string
		run  func() error
	}{
		{"stream of jobs", s.streamOfJobs},
		{"a job is followed", s.jobIsFollowed},
		{"refusals in words", s.refusalsArriveInWords},
		{"too large a message", s.tooLargeAMessageIsRefused},
		{"compressed message", s.compressedMessageIsRefused},
		{"deadline", s.deadlineEndsTheCall},
		{"cancelled call", s.callIsCancelled},
		{"binary metadata", s.binaryMetadataAreTaken},
		{"full queue", s.fullQueueSaysWhenToComeAgain},
		{"many calls at once", s.manyCallsAreAnsweredAtOnce},
		{"health", s.healthIsChecked},
		{"health, watched", s.healthIsWatched},
		{"reflection", s.reflectionTellsTheServices},
		{"tokens and certificates", s.onlyTheInvitedGetIn},
		{"the worker leaves", worker.leave},
	} {
		if err := check.run(); err != nil {
			must(fmt.Errorf("%s: %w", check.what, err))
		}
	}
	fmt.Println("ok")
}
