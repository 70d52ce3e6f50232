import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connect, connectionFlags, given } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const list = Command.make(
  "held",
  {
    ...connectionFlags,
    network: Flag.String("network").pipe(Flag.withDescription("Only this network"), Flag.optional),
    all: Flag.Boolean("all").pipe(Flag.withDescription("Also ended ones"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const query = { open: !options.all, ...given("network", options.network) }
    const { arrivals } = yield* client["held-arrivals"].list({ query })
    const rows = arrivals.map((one) => ({
      network: one.network,
      transaction: one.tx_hash,
      index: one.transfer_index,
      "block hash": one.block_hash,
      tenant: one.tenant_id,
      pays: `${one.amount_units} ${one.currency} to ${one.address}`,
      state: one.outcome ?? one.state,
      since: one.since,
      said: one.said.map(({ node, says }) => `${node}: ${says}`).join("; "),
      accepted: one.accepted_by ?? ""
    }))
    yield* printRows(options.json, options.json ? arrivals : rows, "Nothing is held.")
  })
).pipe(Command.withDescription("List arrivals that are not credited because nodes of two operators do not agree"))

const which = {
  ...connectionFlags,
  network: Argument.String("network").pipe(Argument.withDescription("Such as base")),
  transaction: Argument.String("transaction").pipe(Argument.withDescription("The transaction's hash")),
  blockHash: Argument.String("block-hash").pipe(Argument.withDescription("The hash of its block")),
  index: Flag.Int("index").pipe(Flag.withDescription("The place of the transfer in it"), Flag.withDefault(0)),
  reason: Flag.String("reason").pipe(Flag.withDescription("What you have seen elsewhere, which operators see"))
}

const decision = (verdict: "accept" | "refuse", description: string) =>
  Command.make(
    `${verdict}-held`,
    which,
    Effect.fn(function* (options) {
      const client = yield* connect(options)
      const { blockHash, index, network, reason, transaction } = options
      const payload = { tx_hash: transaction, transfer_index: index, block_hash: blockHash, reason }
      yield* printRecord(options.json, yield* client["held-arrivals"][verdict]({ params: { network }, payload }))
    })
  ).pipe(Command.withDescription(description))

/** The commands of `bursar network …` for what nodes of two operators do not agree on. */
export const heldArrivalCommands = [
  list,
  decision("accept", "Credit a held arrival by your own evidence, once two operators have accepted it"),
  decision("refuse", "Refuse a held arrival: it is never credited in this block")
] as const
