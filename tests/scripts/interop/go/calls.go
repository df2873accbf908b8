package main

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	v1 "twofold/v1"
)

// Words of the frontend, percent-encoded on the wire, quotes and letters of others included.
func (s *stranger) refusalsArriveInWords() error {
	_, err := s.clients.SubmitJob(soon(), &v1.SubmitJobRequest{Options: &v1.JobOptions{Queue: "schläft"}})
	unknown := s.connection.Invoke(soon(), "/twofold.v1.Clients/Nothing", &v1.GetJobRequest{}, &v1.Job{})
	return first(expect(err, codes.NotFound, "schläft"), expect(unknown, codes.Unimplemented))
}

func (s *stranger) tooLargeAMessageIsRefused() error {
	_, err := s.clients.SubmitJob(soon(), &v1.SubmitJobRequest{Options: &v1.JobOptions{Queue: "sleep"}, Spec: make([]byte, 5<<20)})
	if *resets && status.Code(err) == codes.Canceled {
		return nil
	}
	return expect(err, codes.ResourceExhausted)
}

func (s *stranger) compressedMessageIsRefused() error {
	request := &v1.SubmitJobRequest{Options: &v1.JobOptions{Queue: "sleep"}, Spec: make([]byte, 10_000)}
	_, err := s.clients.SubmitJob(soon(), request, grpc.UseCompressor(gzip.Name))
	return expect(err, codes.Unimplemented)
}

func (s *stranger) follow(ctx context.Context) (v1.Clients_FollowJobClient, error) {
	stream, err := s.clients.FollowJob(ctx, &v1.FollowJobRequest{Id: s.held})
	if err == nil {
		_, err = stream.Recv()
	}
	return stream, err
}

func (s *stranger) deadlineEndsTheCall() error {
	job, err := s.clients.SubmitJob(soon(), &v1.SubmitJobRequest{Options: hourLater()})
	if err != nil {
		return err
	}
	s.held = job.Id
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	for stream, err := s.follow(ctx); ; _, err = stream.Recv() {
		if err != nil {
			return expect(err, codes.DeadlineExceeded)
		}
	}
}

func (s *stranger) callIsCancelled() error {
	ctx, cancel := context.WithCancel(context.Background())
	stream, err := s.follow(ctx)
	cancel()
	if err != nil {
		return err
	}
	_, err = stream.Recv()
	return expect(err, codes.Canceled)
}

func (s *stranger) binaryMetadataAreTaken() error {
	bytes := make([]byte, 256)
	for at := range bytes {
		bytes[at] = byte(at)
	}
	ctx := metadata.AppendToOutgoingContext(soon(), "stranger-bin", string(bytes), "stranger-bin", "")
	_, err := s.clients.GetJob(ctx, &v1.GetJobRequest{Id: s.held})
	return err
}

// More than a server lets a connection have at once: the others wait.
func (s *stranger) manyCallsAreAnsweredAtOnce() error {
	answers := make(chan error, atOnce)
	for i := 0; i < atOnce; i++ {
		go func() {
			_, err := s.clients.GetJob(soon(), &v1.GetJobRequest{Id: s.ended})
			answers <- err
		}()
	}
	for i := 0; i < atOnce; i++ {
		if err := <-answers; err != nil {
			return err
		}
	}
	return nil
}
