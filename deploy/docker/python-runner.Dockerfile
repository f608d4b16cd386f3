# The runner of steps in Python (deploy/k8s/components/python-runner): this program beside an
# interpreter with the libraries that models write for.
#
#   docker build -f deploy/docker/python-runner.Dockerfile -t dibrain-python-runner:dev .
ARG GO_IMAGE=golang:1.26-bookworm
FROM ${GO_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
ARG LDFLAGS=""
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=1 go build -buildvcs=false -trimpath -ldflags "-s -w $LDFLAGS" -o /out/dibrain ./cmd/dibrain

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libstdc++6 tzdata \
      python3 python3-pandas python3-numpy python3-scipy python3-statsmodels python3-sklearn python3-matplotlib \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 65532 dibrain
COPY --from=build /out/dibrain /usr/local/bin/dibrain
EXPOSE 7443
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/dibrain"]
CMD ["python-runner", "--listen=0.0.0.0:7443"]
