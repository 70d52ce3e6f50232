import { ChainError } from "@bursar/core/port/Chain"
import type { ChainSender, Payment } from "@bursar/core/port/ChainSender"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import { Effect, Logger } from "effect"
import { askElsewhere } from "../../src/nodes/otherOperators.ts"
import type { SeveralNodes } from "../../src/nodes/SeveralNodes.ts"
import { fakeNetwork } from "../fakeNetwork.ts"

/** What a node is that does not answer. */
export const unreachable = new ChainError({
  network: "ethereum",
  reason: "unreachable",
  doing: "ask",
  detail: "silent"
})

/** What the nodes are asked about. */
export const payment: Payment = { to: "0xreceiver", contract: null, units: 1n, memo: null }

/** Nodes of two operators, which say what they are given to say, and how often a person was called. */
export const operated = ({ first, second }: Readonly<Record<"first" | "second", Partial<ChainSender>>>) => {
  const events: Array<string> = []
  const { reader } = makeFakeChain({ network: "ethereum" })
  const { sender } = fakeNetwork({ network: "ethereum" })
  const operators = new Map([["two", [{ name: "two", operator: "two", index: 1 }]]])
  const several: SeveralNodes = {
    network: "ethereum",
    name: () => "one",
    ask: (question) => Effect.map(question({ ...sender, ...first }), (answer) => ({ answer, index: 0 })),
    elsewhere: (index, question) =>
      askElsewhere(operators, index, 10_000, () =>
        question({ reader, sender: { ...sender, ...second }, operator: "two" })
      )
  }
  const calls = (about: "build" | "receiver" = "receiver") =>
    events.filter((event) => event === `transaction.${about}_disputed`).length
  return { calls, logged: Logger.layer([Logger.make(({ message }) => void events.push(String(message)))]), several }
}
