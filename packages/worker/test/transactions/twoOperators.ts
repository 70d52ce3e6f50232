import { accountPlanner, nextSequenceGuard } from "@bursar/core/port/accountPlanner"
import type { Tip } from "@bursar/core/port/Chain"
import type { ChainSender } from "@bursar/core/port/ChainSender"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { makeFakeChain } from "@bursar/testkit/fixtures/FakeChain"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { Effect, Logger } from "effect"
import { poolSender } from "../../src/nodes/poolSender.ts"
import { fakeNetwork } from "../fakeNetwork.ts"
import type { Tested } from "./world.ts"

/** Where nodes stand that are far beyond what is asked about. */
const tip: Tip = {
  latest: { number: 1_000_000, hash: "0xtip", parentHash: "0xparent", time: 1_700_000_000_000 },
  confirmed: 1_000_000
}

/** What a node says in place of what it knows. */
export type Lie = (honest: ChainSender) => Partial<ChainSender>

/** A node that says of each account that it goes on with another number. */
export const countsAs =
  (network: Tested, firstSequence: (honest: ChainSender) => ChainSender["firstSequence"]): Lie =>
  (honest) => ({
    firstSequence: firstSequence(honest),
    planner: accountPlanner({
      ...honest,
      lenders: ({ channels, wallet }) => (channels.length > 0 ? channels : [wallet]),
      underWayMax: presetNetworks.of(network).underWayMax,
      guardOf: nextSequenceGuard(firstSequence(honest))
    })
  })

/** A network with nodes of two operators; each says what it is given to say beside what it knows. The first is asked first. */
export const twoOperators = (network: Tested, first: Lie, second: Lie = () => ({})) => {
  const fake = fakeNetwork({ network, paymentsMax: network === "bitcoin" ? 5 : 1 })
  const { reader } = makeFakeChain({ network })
  const at = (lie: Lie, operator: string) => ({
    reader: { ...reader, tip: Effect.succeed(tip) },
    sender: { ...fake.sender, ...lie(fake.sender) },
    operator
  })
  const events: Array<string> = []
  return {
    events,
    logged: Logger.layer([Logger.make(({ message }) => void events.push(String(message)))]),
    fake: { ...fake, sender: poolSender([at(first, "one"), at(second, "two")]) } satisfies FakeSender
  }
}
