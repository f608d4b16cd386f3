"""python example.py HOST:PORT SOURCE QUESTION: asks, prints the answer and rows."""

import sys

from dibrain_client import Client, rows


def main() -> int:
    address, source, question = sys.argv[1:4]
    with Client(address) as client:
        answer = client.ask(question, source=source)
    print(answer.text)
    for row in rows(answer):
        print(row)
    print("run", answer.run_id)
    return 0 if rows(answer) else 1


if __name__ == "__main__":
    sys.exit(main())
