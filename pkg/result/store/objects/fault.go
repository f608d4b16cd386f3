package objects

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
	"google.golang.org/grpc/codes"

	"github.com/dibrain/dibrain/pkg/fault"
	"github.com/dibrain/dibrain/pkg/telemetry/meter"
)

// ReasonUnavailable is the reason of results whose rows cannot be kept or read at present.
const ReasonUnavailable = "RESULT_FILES_UNAVAILABLE"

// ReasonKeys is the reason of keys that cannot be read.
const ReasonKeys = "RESULT_FILES_KEYS"

// errSlow is the end of a request that took longer than its bound.
var errSlow = errors.New("the object storage did not answer in time")

// away reports errors of a server that does not answer, or says of itself that it cannot:
// another try may go through.
func away(err error) bool {
	var own *fault.Error
	if errors.As(err, &own) { // keys that cannot be read
		return false
	}
	if errors.Is(err, errSlow) || errors.Is(err, errNonsense) {
		return true
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) || answer.StatusCode == 0 {
		return true
	}
	return answer.StatusCode >= http.StatusInternalServerError || answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusRequestTimeout
}

// ended is how a request with an error ended, for the meter. That there is no such object, or
// that it is shorter, is said by a server that works.
func ended(err error) meter.Result {
	switch code := minio.ToErrorResponse(err).Code; {
	case code == minio.NoSuchKey, code == minio.InvalidRange:
		return meter.Refused
	case errors.Is(err, errSlow):
		return meter.Timeout
	}
	return meter.ResultOf(err)
}

func unavailable(message string) *fault.Error {
	e := fault.New(codes.Unavailable, ReasonUnavailable, message)
	e.RetryAfter = time.Second
	return e
}

func (o *Objects) place() string { return o.config.Endpoint + "/" + o.config.Bucket }

// alone is the error while no requests are let through.
func (o *Objects) alone(doing string, wait time.Duration) error {
	since, _ := o.circuit.Open()
	e := unavailable(fmt.Sprintf("The object storage with the rows of results does not answer since %s. Try again in %s.",
		since.UTC().Format(time.TimeOnly+" UTC"), wait.Truncate(time.Second)+time.Second))
	e.RetryAfter = max(wait, time.Second)
	return e.ForOperator("%s: %s: results.s3.failures requests in a row had no answer, one is let through every results.s3.probe_after", o.place(), doing)
}

// fault turns an error of a request into one that says what to do. What callers decide by
// passes as it is: that there is no such object, and that it is shorter.
func (o *Objects) fault(doing string, err error) error {
	var own *fault.Error
	if errors.As(err, &own) {
		return err
	}
	because := fmt.Errorf("%s at %s: %w", doing, o.place(), err)
	const message = "The object storage with the rows of results cannot be used at present. Try again in a moment."
	operator := "look whether the server of results.s3.endpoint runs and is reached from here"
	switch answer := minio.ToErrorResponse(err); {
	case errors.Is(err, errSlow):
		return unavailable("The object storage with the rows of results does not answer in time. Try again in a moment.").
			ForOperator("%s: %s: no answer within results.s3.timeout (or upload_timeout)", o.place(), doing).Because(because)
	case errors.Is(err, errNonsense):
		operator = "it does not speak the S3 API: check results.s3.endpoint"
	case answer.Code == minio.NoSuchKey, answer.Code == minio.InvalidRange:
		return err
	case answer.Code == minio.NoSuchBucket:
		o.known.Store(false) // probes ask again
		operator = "there is no such bucket: make it, or mend results.s3.bucket and results.s3.region"
	case answer.StatusCode == http.StatusForbidden, answer.StatusCode == http.StatusUnauthorized:
		o.known.Store(false)
		operator = "the key is refused (" + answer.Code + "): check results.s3.access_key_id and secret_access_key with their files, and that the key may get, put, delete and list objects of the bucket and its multipart uploads"
	case answer.StatusCode == http.StatusBadRequest, answer.StatusCode == http.StatusMovedPermanently:
		operator = "the request is refused (" + answer.Code + "): check results.s3.region, path_style and encryption"
	}
	return unavailable(message).ForOperator("%s: %s: %s", o.place(), doing, operator).Because(because)
}
