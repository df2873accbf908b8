package main

import (
	"flag"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	v1 "twofold/v1"
)

// Who shows a wrong token, or one of another role, is refused; who shows no certificate does not get in.
func (s *stranger) onlyTheInvitedGetIn() error {
	if *clientToken == "" {
		return nil
	}
	get := func(connection *grpc.ClientConn) error {
		_, err := v1.NewClientsClient(connection).GetJob(soon(), &v1.GetJobRequest{Id: s.ended})
		return err
	}
	work, err := v1.NewWorkersClient(connect(flag.Arg(1), *clientToken)).Work(soon())
	must(err)
	_, role := work.Recv()
	nameless, err := grpc.Dial(flag.Arg(0), secured(), grpc.WithPerRPCCredentials(bearer(*clientToken)))
	must(err)
	return first(
		expect(get(connect(flag.Arg(0), strings.Repeat("0", 32))), codes.Unauthenticated),
		expect(role, codes.PermissionDenied),
		expect(get(nameless), codes.Unavailable))
}
