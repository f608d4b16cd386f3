"""The other side of routerspeed: the router's graph on LangGraph, with a stub
model that asks for CALLS tools and then answers. Prints one JSON object a line.

    python langgraph_speed.py [--runs 300] [--calls 10]

Needs langgraph and langgraph-checkpoint-sqlite. Times are of the process' CPU, in
microseconds, so that other work on the machine counts less."""
import argparse
import json
import operator
import os
import sqlite3
import tempfile
import time
from typing import Annotated, TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph


class State(TypedDict, total=False):
    messages: Annotated[list, operator.add]
    intent: str
    tool_call_id: str
    answer: str


def build(calls, saver):
    def intent_route(_):
        return {"intent": "data_discovery"}

    def invoke_agent(s):
        made = sum(m["role"] == "tool" for m in s["messages"])
        turn = max(i for i, m in enumerate(s["messages"]) if m["role"] == "user")
        made = sum(m["role"] == "tool" for m in s["messages"][turn:])
        if made >= calls:
            return {"messages": [{"role": "assistant", "content": "done"}]}
        call = {"name": "data_discovery", "args": {"user_question": "orders"}, "id": os.urandom(12).hex()}
        return {"tool_call_id": call["id"], "messages": [{"role": "assistant", "content": "", "tool_calls": [call]}]}

    def action_dispatch(_):
        return {}

    def after_dispatch(s):
        return "tool_call" if s["messages"][-1].get("tool_calls") else "respond"

    def tool_call(s):
        return {"messages": [{"role": "tool", "content": "sg.shop.orders", "tool_call_id": s["tool_call_id"]}]}

    def respond(_):
        return {"answer": "use sg.shop.orders"}

    g = StateGraph(State)
    for node in (intent_route, invoke_agent, action_dispatch, tool_call, respond):
        g.add_node(node.__name__, node)
    g.add_edge(START, "intent_route")
    g.add_edge("intent_route", "invoke_agent")
    g.add_edge("invoke_agent", "action_dispatch")
    g.add_conditional_edges("action_dispatch", after_dispatch, ["tool_call", "respond"])
    g.add_edge("tool_call", "invoke_agent")
    g.add_edge("respond", END)
    return g.compile(checkpointer=saver)


def measure(app, runs, thread):
    times = []
    for i in range(runs + 10):
        began = time.process_time_ns()
        app.invoke({"messages": [{"role": "user", "content": "which table has orders?"}]},
                   {"configurable": {"thread_id": thread(i)}, "recursion_limit": 1000})
        if i >= 10:
            times.append((time.process_time_ns() - began) / 1e3)
    return times


def median(xs):
    return sorted(xs)[len(xs) // 2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--calls", type=int, default=10)
    o = parser.parse_args()
    steps = 2 + 2 * (o.calls + 1) + o.calls  # intent_route, respond; two a decision; one a call
    plain = measure(build(o.calls, None), o.runs, lambda i: f"t{i}")
    print(json.dumps({"side": "langgraph", "what": "step", "cpu_us": round(median(plain) / steps, 2)}), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        db = sqlite3.connect(folder + "/c.db", check_same_thread=False)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        app = build(o.calls, SqliteSaver(db))
        kept = measure(app, max(30, o.runs // 6), lambda i: f"t{i}")
        print(json.dumps({"side": "langgraph", "what": "tool_call", "cpu_us": round(median(kept) / o.calls, 1)}), flush=True)
        one = build(1, SqliteSaver(db))
        kept = measure(one, max(30, o.runs // 3), lambda i: f"u{i}")
        print(json.dumps({"side": "langgraph", "what": "turn_of_one_call", "cpu_us": round(median(kept), 1)}), flush=True)
        long = measure(one, 100, lambda _: "long")
        print(json.dumps({"side": "langgraph", "what": "turn_100_over_turn_1",
                          "ratio": round(median(long[-10:]) / median(long[:10]), 2)}), flush=True)


main()
