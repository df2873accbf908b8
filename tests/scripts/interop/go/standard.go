package main

import (
	"fmt"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	health "google.golang.org/grpc/health/grpc_health_v1"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
)

func (s *stranger) healthIsChecked() error {
	for _, connection := range []*grpc.ClientConn{s.connection, s.workers} {
		client := health.NewHealthClient(connection)
		reply, err := client.Check(soon(), &health.HealthCheckRequest{})
		if err == nil && reply.Status != health.HealthCheckResponse_SERVING {
			err = fmt.Errorf("it is %v", reply.Status)
		}
		_, unknown := client.Check(soon(), &health.HealthCheckRequest{Service: "nobody"})
		if err := first(err, expect(unknown, codes.NotFound)); err != nil {
			return err
		}
	}
	return nil
}

func (s *stranger) healthIsWatched() error {
	for service, wanted := range map[string]health.HealthCheckResponse_ServingStatus{
		"twofold.v1.Clients": health.HealthCheckResponse_SERVING,
		"nobody":             health.HealthCheckResponse_SERVICE_UNKNOWN,
	} {
		stream, err := health.NewHealthClient(s.connection).Watch(soon(), &health.HealthCheckRequest{Service: service})
		if err != nil {
			return err
		}
		reply, err := stream.Recv()
		if err == nil && reply.Status != wanted {
			err = fmt.Errorf("%s is %v", service, reply.Status)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *stranger) reflectionTellsTheServices() error {
	stream, err := reflection.NewServerReflectionClient(s.connection).ServerReflectionInfo(soon())
	if err != nil {
		return err
	}
	ask := func(request *reflection.ServerReflectionRequest) (*reflection.ServerReflectionResponse, error) {
		if err := stream.Send(request); err != nil {
			return nil, err
		}
		return stream.Recv()
	}
	list, err := ask(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_ListServices{ListServices: "*"}})
	if err != nil || !strings.Contains(list.String(), "twofold.v1.Clients") {
		return fmt.Errorf("services: %v %v", list, err)
	}
	file, err := ask(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "twofold.v1.Clients"}})
	if err != nil || len(file.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
		return fmt.Errorf("file: %v %v", file, err)
	}
	nobody, err := ask(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "nobody"}})
	if err != nil || codes.Code(nobody.GetErrorResponse().GetErrorCode()) != codes.NotFound {
		return fmt.Errorf("unknown symbol: %v %v", nobody, err)
	}
	return stream.CloseSend()
}
