import type { OperatorPayout } from "@bursar/api/operator/OperatorPayout"
import type { OperatorClient } from "@bursar/client/effect"
import { operationStatuses } from "@bursar/core/operation/Operation"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { moneyText } from "./money.ts"
import { connect, connectionFlags, findTenant, given, openTenant, proposing, tenantArgument } from "./operator.ts"
import { printRecord, printRows, printText } from "./print.ts"
import { tellUnreadable } from "./tellUnreadable.ts"

const named = {
  ...connectionFlags,
  tenant: tenantArgument,
  payout: Argument.String("payout").pipe(Argument.withDescription("The payout's id"))
}

type Path = { readonly params: { readonly tenant_id: string; readonly payout_id: string } }

const openPayout = Effect.fn("payout.open")(function* (
  options: Parameters<typeof openTenant>[0] & { readonly payout: string }
) {
  const { client, params } = yield* openTenant(options)
  return { client, path: { params: { ...params, payout_id: options.payout } } satisfies Path }
})

/** Transactions as a person reads them: the outbound transactions that they were signed for are counted, not named. */
const numbered = (attempts: OperatorPayout["attempts"]) => {
  const transactions = [...new Set(attempts.map(({ transaction_id }) => transaction_id))]
  return attempts.map(({ transaction_id, transaction_outcome, ...rest }) => ({
    transaction: transactions.indexOf(transaction_id) + 1,
    ended: transaction_outcome,
    ...rest
  }))
}

/** A payout as a person reads it: what nothing is known of is left out. */
const told = Effect.fnUntraced(function* (json: boolean, payout: OperatorPayout) {
  if (json) return yield* printRecord(json, payout)
  const { amount, customer_fee, evidence, network_fee, attempts, ...rest } = payout
  const known = Object.entries(rest).filter(([, value]) => value !== null)
  const money = {
    amount: moneyText(amount),
    fee: moneyText(customer_fee),
    ...(network_fee && { network_fee: moneyText(network_fee) })
  }
  yield* printRecord(json, { ...Object.fromEntries(known), ...money })
  if (attempts.length > 0) {
    yield* printText("\nSigned, oldest first; of each outbound transaction at most one takes effect:")
    yield* printRows(json, numbered(attempts), "")
  }
  if (evidence.length === 0) return
  yield* printText("\nEvidence:")
  yield* printRows(json, evidence, "")
})

const list = Command.make(
  "list",
  {
    ...connectionFlags,
    tenant: tenantArgument.pipe(Argument.optional),
    status: Flag.Literals("status", operationStatuses).pipe(
      Flag.withDescription("Such as IN_REVIEW, for payouts that wait for you"),
      Flag.optional
    ),
    unresolved: Flag.Boolean("unresolved").pipe(
      Flag.withDescription("Only those whose outcome is not known"),
      Flag.withDefault(false)
    ),
    limit: Flag.Int("limit").pipe(Flag.withDescription("How many per tenant, newest first"), Flag.withDefault(50))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const tenants = yield* Option.match(options.tenant, {
      onNone: () => Effect.map(client.tenants.list(), (all) => all.tenants),
      onSome: (name) => Effect.map(findTenant(client, name), (one) => [one])
    })
    const query = {
      limit: options.limit,
      ...given("status", options.status),
      ...(options.unresolved ? { unresolved: true } : {})
    }
    const found = yield* Effect.forEach(tenants, ({ id, slug }) =>
      Effect.flatMap(client.payouts.list({ params: { tenant_id: id }, query }), ({ payouts, unreadable }) =>
        Effect.as(tellUnreadable(unreadable), {
          payouts: payouts.map((payout) => ({ tenant: slug, ...payout })),
          isFull: payouts.length + unreadable.length === options.limit
        })
      )
    )
    const payouts = found.flatMap((one) => one.payouts)
    const rows = payouts.map((payout) => ({
      tenant: payout.tenant,
      status: payout.unresolved ? `${payout.status} (unresolved)` : payout.status,
      phase: payout.phase,
      network: payout.network,
      amount: moneyText(payout.amount),
      address: payout.address,
      problem: payout.problem ?? payout.waits_for,
      id: payout.id
    }))
    yield* printRows(options.json, options.json ? payouts : rows, "There are no such payouts.")
    const cut = tenants.flatMap(({ slug }, index) => (found[index]?.isFull === true ? [slug] : []))
    if (cut.length > 0) {
      const others = "bursar operation list <tenant> --kind CHAIN_PAYOUT"
      yield* Console.error(`There may be more of ${cut.join(", ")}: --limit, or ${others}`)
    }
  })
).pipe(
  Command.withDescription("List chain payouts of a tenant, or of all"),
  Command.withExamples([
    { command: "bursar payout list --status IN_REVIEW", description: "Payouts that wait for a review" },
    { command: "bursar payout list --unresolved", description: "Operations that need attention" }
  ])
)

/** A command about one payout that says nothing beside it. */
const plain = (
  name: string,
  description: string,
  act: (client: OperatorClient, path: Path) => Effect.Effect<OperatorPayout, unknown>
) =>
  Command.make(
    name,
    named,
    Effect.fn(function* (options) {
      const { client, path } = yield* openPayout(options)
      yield* told(options.json, yield* act(client, path))
    })
  ).pipe(Command.withDescription(description))

const show = plain(
  "show",
  "Show a payout: how far it has come, what it waits for, all that was signed for it, and what is known of it",
  (client, path) => client.payouts.get(path)
)

const approve = Command.make(
  "approve",
  named,
  Effect.fn(function* (options) {
    const { client, path } = yield* openPayout(options)
    const { orProposed } = yield* proposing
    yield* told(options.json, yield* orProposed(client)(client.payouts.approve(path)))
  })
).pipe(
  Command.withDescription("Approve a payout in review; it is then sent. Where the service goes by grants, propose that")
)

const rebroadcast = plain(
  "rebroadcast",
  "Broadcast the signed bytes again now, or try now to sign if nothing is signed yet",
  (client, path) => client.payouts.rebroadcast(path)
)

const bump = plain(
  "bump",
  "Replace the newest transaction with one that pays a higher fee; at most one of them takes effect",
  (client, path) => client.payouts.bump(path)
)

const reject = Command.make(
  "reject",
  { ...named, reason: Flag.String("reason").pipe(Flag.withDescription("Why")) },
  Effect.fn(function* (options) {
    const { client, path } = yield* openPayout(options)
    yield* told(options.json, yield* client.payouts.reject({ ...path, payload: { reason: options.reason } }))
  })
).pipe(Command.withDescription("Reject a payout in review; it fails, and its hold is released"))

const cancel = Command.make(
  "cancel",
  named,
  Effect.fn(function* (options) {
    const { client, path } = yield* openPayout(options)
    const cancelled = yield* client.payouts.cancel(path)
    if (options.json) return yield* printRecord(true, cancelled)
    yield* printText(
      cancelled.state === "cancelled"
        ? "The payout is cancelled.\n"
        : "Something was signed: a transaction that pays nothing takes its place if it can, and the chain decides which comes to be.\n"
    )
    return yield* told(false, cancelled.payout)
  })
).pipe(
  Command.withDescription("Cancel a payout: at once if nothing was signed, otherwise with a replacement transaction")
)

const evidence = Command.make(
  "evidence",
  {
    ...named,
    note: Flag.String("note").pipe(Flag.withDescription("What you know, and from where")),
    tx: Flag.String("tx").pipe(Flag.withDescription("A transaction that may have paid it"), Flag.optional)
  },
  Effect.fn(function* (options) {
    const { client, path } = yield* openPayout(options)
    const payload = { note: options.note, ...given("tx_hash", options.tx) }
    yield* told(options.json, yield* client.payouts.attachEvidence({ ...path, payload }))
  })
).pipe(
  Command.withDescription("Add evidence to a payout; the service looks up a transaction on the chain, which decides"),
  Command.withExamples([
    {
      command: 'bursar payout evidence acme <id> --tx 0x… --note "Sent before the restore of 3 March" --as alice',
      description: "Name a transaction that may have paid it"
    }
  ])
)

/** `bursar payout …` */
export const payoutCommand = Command.make("payout").pipe(
  Command.withDescription("Chain payouts: reviews and stuck payouts"),
  Command.withSubcommands([list, show, approve, reject, cancel, rebroadcast, bump, evidence])
)
