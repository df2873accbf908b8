package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	v1 "twofold/v1"
)

func hourLater() *v1.JobOptions {
	return &v1.JobOptions{Queue: "sleep", DelayNs: uint64(time.Hour)}
}

func (s *stranger) streamOfJobs() error {
	request := &v1.SubmitRequest{Options: []*v1.JobOptions{{Queue: "sleep"}}}
	for tag := uint64(1); tag <= jobs; tag++ {
		spec := fmt.Sprint("job ", tag)
		request.Tags = append(request.Tags, tag)
		request.SpecSizes = append(request.SpecSizes, uint32(len(spec)))
		request.Specs = append(request.Specs, spec...)
	}
	stream, err := s.clients.Submit(soon())
	if err != nil {
		return err
	}
	if err := first(stream.Send(request), stream.CloseSend()); err != nil {
		return err
	}
	seen := map[uint64]bool{}
	for {
		reply, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		for _, tag := range reply.GetResults().GetTags() {
			seen[tag] = true
		}
		for _, outcome := range reply.GetResults().GetOutcomes() {
			if outcome != v1.Outcome_OUTCOME_SUCCEEDED {
				return fmt.Errorf("a job has ended as %v", outcome)
			}
		}
	}
	if len(seen) != jobs {
		return fmt.Errorf("%d results", len(seen))
	}
	return nil
}

func (s *stranger) jobIsFollowed() error {
	job, err := s.clients.SubmitJob(soon(), &v1.SubmitJobRequest{Options: &v1.JobOptions{Queue: "sleep", MaxAttempts: 2}, Spec: []byte("one")})
	if err != nil {
		return err
	}
	s.ended = job.Id
	stream, err := s.clients.FollowJob(soon(), &v1.FollowJobRequest{Id: job.Id})
	if err != nil {
		return err
	}
	last := v1.Outcome_OUTCOME_UNSPECIFIED
	for {
		update, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		last = update.GetJob().GetOutcome()
	}
	if last != v1.Outcome_OUTCOME_SUCCEEDED {
		return fmt.Errorf("the job has ended as %v", last)
	}
	return nil
}

// A full queue says in the details of its status when to come again; a stream that is cancelled takes its jobs along.
func (s *stranger) fullQueueSaysWhenToComeAgain() error {
	ctx, cancel := context.WithCancel(soon())
	defer cancel()
	stream, err := s.clients.Submit(ctx)
	if err != nil {
		return err
	}
	request := &v1.SubmitRequest{Options: []*v1.JobOptions{hourLater()}}
	for tag := uint64(1); tag <= queueLimit; tag++ {
		request.Tags = append(request.Tags, tag)
	}
	if err := stream.Send(request); err != nil {
		return err
	}
	reply, err := stream.Recv()
	if err != nil {
		return err
	}
	if reply.RetryAfterNs == 0 {
		return errors.New("no advice came")
	}
	_, full := s.clients.SubmitJob(soon(), &v1.SubmitJobRequest{Options: hourLater()})
	if err := expect(full, codes.ResourceExhausted); err != nil {
		return err
	}
	retry := false
	for _, detail := range status.Convert(full).Details() {
		info, is := detail.(*errdetails.RetryInfo)
		retry = retry || is && info.RetryDelay.AsDuration() > 0
	}
	if !retry {
		return errors.New("no RetryInfo came")
	}
	cancel()
	for ctx := soon(); full != nil; {
		_, full = s.clients.SubmitJob(ctx, &v1.SubmitJobRequest{Options: &v1.JobOptions{Queue: "sleep"}})
		if code := status.Code(full); code != codes.OK && code != codes.ResourceExhausted {
			return full
		}
	}
	_, err = s.clients.CancelJob(soon(), &v1.CancelJobRequest{Id: s.held})
	return err
}
