package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"

	v1 "twofold/v1"
)

// worker answers each job with success, and leaves when it is told to.
type worker struct {
	mutex  sync.Mutex // held to send
	stream v1.Workers_WorkClient
	specs  map[string]bool
	ended  chan error
}

func newWorker(connection *grpc.ClientConn) (*worker, error) {
	stream, err := v1.NewWorkersClient(connection).Work(context.Background())
	if err != nil {
		return nil, err
	}
	w := &worker{stream: stream, specs: map[string]bool{}, ended: make(chan error, 1)}
	go func() { w.ended <- w.serve() }()
	return w, w.say(&v1.WorkerMessage{Hello: &v1.Hello{Queue: "sleep", ProcessKey: 8, Node: "stranger", Pod: "go", Slots: 64}})
}

func (w *worker) say(message *v1.WorkerMessage) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.stream.Send(message)
}

func (w *worker) serve() error {
	for {
		reply, err := w.stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		batch := reply.Assigns
		if batch == nil {
			continue
		}
		specs := batch.Specs
		for _, size := range batch.SpecSizes {
			w.specs[string(specs[:size])] = true
			specs = specs[size:]
		}
		results := &v1.WorkerResults{Jobs: batch.Jobs, Attempts: batch.Attempts}
		for range batch.Jobs {
			results.RunNs = append(results.RunNs, 1000)
			if len(batch.Attempts) == 0 {
				results.Attempts = append(results.Attempts, 1)
			}
		}
		if err := w.say(&v1.WorkerMessage{Results: results}); err != nil {
			return err
		}
	}
}

func (w *worker) leave() error {
	if err := first(w.say(&v1.WorkerMessage{Leaving: true}), w.stream.CloseSend()); err != nil {
		return err
	}
	select {
	case err := <-w.ended:
		if err == nil && len(w.specs) < jobs {
			err = fmt.Errorf("%d specs came", len(w.specs))
		}
		return err
	case <-time.After(patience):
		return errors.New("the stream does not end")
	}
}
