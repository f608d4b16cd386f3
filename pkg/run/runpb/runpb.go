// Package runpb translates run records to and from the contract's messages. It
// is apart from pkg/run so that domain code does not depend on generated types.
package runpb

import (
	"maps"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	commonv1 "github.com/dibrain/dibrain/gen/dibrain/common/v1"
	"github.com/dibrain/dibrain/pkg/run"
)

// ToTrace returns what the recorder holds as the message that a service returns
// beside its answer. It is nil when there is nothing to tell.
func ToTrace(r *run.Recorder) *commonv1.RunTrace {
	records, dropped := r.Records()
	if len(records) == 0 && dropped == 0 {
		return nil
	}
	trace := &commonv1.RunTrace{Records: make([]*commonv1.RunRecord, 0, len(records)), Dropped: int32(dropped)}
	for _, rec := range records {
		trace.Records = append(trace.Records, FromRecord(rec))
	}
	return trace
}

// FromTrace returns the records of a trace that a service returned.
func FromTrace(t *commonv1.RunTrace) (records []run.Record, dropped int) {
	records = make([]run.Record, 0, len(t.GetRecords()))
	for _, rec := range t.GetRecords() {
		records = append(records, ToRecord(rec))
	}
	return records, int(t.GetDropped())
}

// FromRecord returns the message of a record.
func FromRecord(r run.Record) *commonv1.RunRecord {
	return &commonv1.RunRecord{
		RunId: r.RunID, ParentRunId: r.ParentRunID, Name: r.Name, Service: r.Service,
		ToolCallId: r.ToolCallID, ToolName: r.ToolName, Status: FromStatus(r.Status),
		StartedAt: timestamp(r.StartedAt), EndedAt: timestamp(r.EndedAt),
		Attributes: maps.Clone(r.Attributes), Error: r.Error,
	}
}

// ToRecord returns the record of a message.
func ToRecord(r *commonv1.RunRecord) run.Record {
	return run.Record{
		RunID: r.GetRunId(), ParentRunID: r.GetParentRunId(), Name: r.GetName(), Service: r.GetService(),
		ToolCallID: r.GetToolCallId(), ToolName: r.GetToolName(), Status: ToStatus(r.GetStatus()),
		StartedAt: moment(r.GetStartedAt()), EndedAt: moment(r.GetEndedAt()),
		Attributes: maps.Clone(r.GetAttributes()), Error: r.GetError(),
	}
}

// FromStatus returns the message's state; what is unknown is unspecified.
func FromStatus(s run.Status) commonv1.RunStatus {
	switch s {
	case run.StatusRunning:
		return commonv1.RunStatus_RUN_STATUS_RUNNING
	case run.StatusSucceeded:
		return commonv1.RunStatus_RUN_STATUS_SUCCEEDED
	case run.StatusFailed:
		return commonv1.RunStatus_RUN_STATUS_FAILED
	case run.StatusCancelled:
		return commonv1.RunStatus_RUN_STATUS_CANCELLED
	case run.StatusInterrupted:
		return commonv1.RunStatus_RUN_STATUS_INTERRUPTED
	case run.StatusTimedOut:
		return commonv1.RunStatus_RUN_STATUS_TIMED_OUT
	case run.StatusWaiting:
		return commonv1.RunStatus_RUN_STATUS_WAITING
	default:
		return commonv1.RunStatus_RUN_STATUS_UNSPECIFIED
	}
}

// ToStatus returns the state of a message; what is unknown is unspecified.
func ToStatus(s commonv1.RunStatus) run.Status {
	switch s {
	case commonv1.RunStatus_RUN_STATUS_RUNNING:
		return run.StatusRunning
	case commonv1.RunStatus_RUN_STATUS_SUCCEEDED:
		return run.StatusSucceeded
	case commonv1.RunStatus_RUN_STATUS_FAILED:
		return run.StatusFailed
	case commonv1.RunStatus_RUN_STATUS_CANCELLED:
		return run.StatusCancelled
	case commonv1.RunStatus_RUN_STATUS_INTERRUPTED:
		return run.StatusInterrupted
	case commonv1.RunStatus_RUN_STATUS_TIMED_OUT:
		return run.StatusTimedOut
	case commonv1.RunStatus_RUN_STATUS_WAITING:
		return run.StatusWaiting
	default:
		return run.StatusUnspecified
	}
}

func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

func moment(t *timestamppb.Timestamp) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.AsTime()
}
