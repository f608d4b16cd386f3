"""Runs the Milvus standalone binary of the PyPI package milvus in a network
namespace of its own and publishes only its gRPC and health ports, on 127.0.0.1:
Milvus 2.3 binds every interface and has no setting for that.
usage: milvus-run.py DATA_DIR GRPC_PORT HEALTH_PORT"""

import ctypes
import fcntl
import os
import signal
import socket
import struct
import subprocess
import sys
import threading

import milvus

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
GRPC, HEALTH = 19530, 9091  # of the server, inside the namespace


def enter_namespace():
    """Leaves the machine's network; what is not root's needs a user namespace for it."""
    uid, gid = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET if uid == 0 else CLONE_NEWNET | CLONE_NEWUSER):
        sys.exit("cannot make a network namespace: " + os.strerror(ctypes.get_errno()))
    if uid:
        for name, text in ("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1"):
            with open("/proc/self/" + name, "w") as f:
                f.write(text)
    with socket.socket() as s:
        fcntl.ioctl(s, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def start_server(data):
    config = milvus.MilvusServerConfig(data_dir=data)
    for key, value in ("log.level", "warn"), ("etcd_log_level", "warn"), ("common.gracefulStopTimeout", 1):
        config.set(key, value)
    config.resolve()
    milvus._initialize_data_files(config.base_data_dir)
    binaries = os.path.join(config.base_data_dir, "bin")
    env = dict(os.environ, DEPLOY_MODE="STANDALONE", METRICS_PORT=str(HEALTH), LD_LIBRARY_PATH=binaries,
               MILVUS_RUN_DIR=os.path.join(config.base_data_dir, "run"))
    return subprocess.Popen([os.path.join(binaries, "milvus"), "run", "standalone"], cwd=config.base_data_dir, env=env)


def pump(source, target):
    try:
        while block := source.recv(1 << 18):
            target.sendall(block)
    except OSError:
        pass
    for s, how in (target, socket.SHUT_WR), (source, socket.SHUT_RD):
        try:
            s.shutdown(how)
        except OSError:
            pass


def forward(listener, port):
    while True:
        client = listener.accept()[0]
        try:
            server = socket.create_connection(("127.0.0.1", port))
        except OSError:
            client.close()
            continue
        for s in client, server:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=pump, args=(client, server), daemon=True).start()
        threading.Thread(target=pump, args=(server, client), daemon=True).start()


def main():
    data, grpc, health = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    # The listeners are made outside; what they are forwarded to is inside.
    published = [(socket.create_server(("127.0.0.1", grpc)), GRPC), (socket.create_server(("127.0.0.1", health)), HEALTH)]
    enter_namespace()
    server = start_server(data)

    def stop(*_):
        server.terminate()
        threading.Timer(20, server.kill).start()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    for listener, port in published:
        threading.Thread(target=forward, args=(listener, port), daemon=True).start()
    code = server.wait()
    os._exit(0 if code in (0, -signal.SIGTERM) else 1)


main()
