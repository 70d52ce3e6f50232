import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { Effect } from "effect"
import { expectAnswer, send } from "../support/calls.ts"
import { holding, inflating, reverting } from "../support/lyingNode.ts"
import { freshAddress } from "../support/payer.ts"
import { soon, until } from "../support/until.ts"
import type { Attack, Attacker } from "./Attack.ts"
import type { Attacked } from "./AttackedService.ts"

const fortune = 10n ** 15n

const depositsOf = ({ call }: Attacked["victim"]) =>
  Effect.map(
    send(call("/v1/deposits")),
    ({ body }): ReadonlyArray<{ readonly address: string; readonly status: string }> => body.deposits
  )

/** An address that a partner has registered for a customer, and how the deposit there stands. */
const registered = Effect.fnUntraced(function* (tenant: Attacked["victim"]) {
  const address = freshAddress()
  const addresses = [{ network: "ethereum", address, reference: "customer" }]
  yield* expectAnswer(tenant.call("/v1/deposit-addresses", { addresses }), 200)
  const status = Effect.map(
    depositsOf(tenant),
    (deposits) => deposits.find((one) => one.address.toLowerCase() === address)?.status
  )
  return { address, status }
})

const deposit: Attack = {
  title: "says that a small deposit is a large one",
  prepare: ({ alarm, liar, mining, operator, other, payer, victim }) =>
    Effect.gen(function* () {
      const [{ address: customer, status }, honest] = [yield* registered(victim), yield* registered(other)]
      return Effect.gen(function* () {
        const [{ txHash } = { txHash: "" }] = yield* payer.token(customer, 1_000n)
        yield* liar.tell(inflating(txHash, fortune))
        const said = yield* mining(alarm("worker", "arrival.disputed", txHash))
        const { arrivals } = yield* operator["held-arrivals"].list({ query: { open: true } })
        const held = arrivals.find(({ tx_hash }) => tx_hash === txHash)
        if (held?.state !== "disputed") return yield* Effect.die(new Error(`it is ${held?.state}`))
        // what comes later is credited, and that not
        yield* payer.token(honest.address, 1_000n)
        yield* mining(until("another's deposit is credited", honest.status, (one) => one === "CONFIRMED"))
        const now = yield* status
        if (now !== "DETECTED") return yield* Effect.die(new Error(`the deposit is ${now}`))
        yield* liar.repent
        const { block_hash, transfer_index } = held
        // people look it up elsewhere, and refuse what the one node has said
        yield* operator["held-arrivals"].refuse({
          params: { network: "ethereum" },
          payload: { tx_hash: txHash, transfer_index, block_hash, reason: "No explorer has it." }
        })
        return said
      }).pipe(Effect.ensuring(liar.repent))
    }),
  // that one is refused, but the small one stands in its place in truth
  afterwards: ({ mining, victim }) =>
    mining(
      until("what truly came is credited", depositsOf(victim), (all) =>
        all.every(({ status }) => status === "CONFIRMED")
      )
    )
}

const receipt: Attack = {
  title: "says that a payout has failed, so that it is made again",
  owed: 1_500_000n,
  prepare: ({ alarm, liar, mining, queries, untilPaid, victim }) =>
    Effect.sync(() =>
      Effect.gen(function* () {
        const to = freshAddress()
        const { body } = yield* expectAnswer(yield* victim.askFor(to), 201)
        const sent = Effect.map(queries.records(victim.id, TransactionAttempt), (all) =>
          all.filter(({ pays, sentAt }) => pays.includes(body.id) && sentAt !== null)
        )
        const [attempt] = yield* soon("it is sent", sent, ({ length }) => length > 0)
        const hash = attempt?.hash ?? ""
        yield* liar.tell(reverting(hash))
        const said = yield* mining(alarm("worker", "transaction.disputed", hash))
        const operation = yield* queries.operation(victim.id, body.id)
        if (operation?.status !== "SENT") return yield* Effect.die(new Error(`it is ${operation?.status}`))
        yield* liar.repent
        yield* untilPaid({ id: body.id, tenantId: victim.id }, to)
        return said
      }).pipe(Effect.ensuring(liar.repent))
    )
}

const balance: Attack = {
  title: "says that a wallet holds a fortune",
  prepare: ({ alarm, liar, victim }) =>
    Effect.sync(() =>
      Effect.gen(function* () {
        yield* liar.tell(holding(victim.wallet.address, fortune))
        const said = yield* alarm("worker", "network.balance_disputed", victim.wallet.address)
        yield* expectAnswer(yield* victim.askFor(freshAddress(), "900000"), 422, "insufficient_balance")
        return said
      }).pipe(Effect.ensuring(liar.repent))
    )
}

/** Whoever runs one of two nodes, the one that is preferred. */
export const byNode: Attacker = {
  attacker: "whoever runs one of two nodes",
  writes: false,
  attacks: [deposit, receipt, balance]
}
