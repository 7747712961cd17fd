package client

import (
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	grpcbackoff "google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	kawuxingv1 "kawuxing.example/bot/gen/kawuxing/v1"
)

// openChannel returns a channel to host:port; it connects when it is used.
func openChannel(address string) (*grpc.ClientConn, error) {
	return grpc.NewClient(address,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		// The server cuts off clients that ping more often than every 10 s.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: 20 * time.Second, Timeout: 10 * time.Second, PermitWithoutStream: true,
		}),
		// The channel's own pauses grow to two minutes by default; a clock runs meanwhile.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           grpcbackoff.Config{BaseDelay: firstPause, Multiplier: 2, Jitter: 0.2, MaxDelay: 2 * time.Second},
			MinConnectTimeout: 5 * time.Second,
		}),
	)
}

// reasonOf returns the reason that a failed call carries, unspecified if it carries none that is known here.
func reasonOf(err error) kawuxingv1.ErrorReason {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return kawuxingv1.ErrorReason(kawuxingv1.ErrorReason_value["ERROR_REASON_"+info.GetReason()])
		}
	}
	return kawuxingv1.ErrorReason_ERROR_REASON_UNSPECIFIED
}
