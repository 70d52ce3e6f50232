import type { OperatorDestination } from "@bursar/api/operator/OperatorCustody"
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { connectionFlags, given, openTenant, proposing, tenantArgument } from "./operator.ts"
import { printRecord, printRows } from "./print.ts"

const named = {
  ...connectionFlags,
  tenant: tenantArgument,
  destination: Argument.String("destination").pipe(Argument.withDescription("The destination's id"))
}

const stateOf = ({ state, usable_from }: OperatorDestination): string =>
  state === "COOLING" ? `usable from ${usable_from}` : state.toLowerCase()

const row = (one: OperatorDestination) => ({
  currency: one.currency,
  state: stateOf(one),
  address: one.address,
  memo: one.memo,
  label: one.label,
  proposed_by: one.proposed_by,
  verified_by: one.verified_by,
  waiting: one.withdrawals_waiting,
  id: one.id
})

/** What rejecting a destination did to withdrawals that wait to go there. */
const stopped = (waiting: number, tenant: string): string =>
  `${waiting === 1 ? "1 withdrawal waits" : `${waiting} withdrawals wait`} to go there and will not leave: cancel what is not wanted, or have the same address verified anew. See: bursar operation list ${tenant} --kind WITHDRAWAL --status ACCEPTED`

const propose = Command.make(
  "propose",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    currency: Argument.String("currency").pipe(Argument.withDescription("Such as USDC_BASE")),
    address: Argument.String("address").pipe(Argument.withDescription("The tenant's own address on its network")),
    memo: Flag.String("memo").pipe(Flag.withDescription("Stellar: a text, or id:42"), Flag.optional),
    label: Flag.String("label").pipe(Flag.withDescription("What the tenant calls it"))
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { address, currency, label } = options
    const payload = { currency, address, label, ...given("memo", options.memo) }
    const { orProposed } = yield* proposing
    const request = client.custody.proposeDestination({ params, payload })
    yield* printRecord(options.json, yield* orProposed(client)(request))
  })
).pipe(
  Command.withDescription("Propose the withdrawal destination of a currency; another operator must verify it"),
  Command.withExamples([
    {
      command:
        'bursar destination propose acme USDC_BASE 0x9858EfFD232B4033E47d90003D41EC34EcaEda94 --label "Treasury" --as alice',
      description: "Propose a destination"
    }
  ])
)

const list = Command.make(
  "list",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { destinations } = yield* client.custody.destinations({ params })
    const rows = options.json ? destinations : destinations.map(row)
    yield* printRows(options.json, rows, "The tenant has no destinations.")
  })
).pipe(Command.withDescription("List a tenant's destinations in any state"))

const verify = Command.make(
  "verify",
  {
    ...named,
    currency: Argument.String("currency").pipe(Argument.withDescription("Its currency, as the tenant has told you")),
    address: Argument.String("address").pipe(Argument.withDescription("Its address, as the tenant has told you")),
    memo: Flag.String("memo").pipe(Flag.withDescription("Its memo, where it has one"), Flag.optional)
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const path = { ...params, destination_id: options.destination }
    const { orProposed } = yield* proposing
    const { address, currency } = options
    const payload = { currency, address, ...given("memo", options.memo) }
    const request = client.custody.verifyDestination({ params: path, payload })
    yield* printRecord(options.json, yield* orProposed(client)(request))
  })
).pipe(
  Command.withDescription(
    "Verify another operator's proposal, if it is what you say; withdrawals can go there after the tenant's waiting time"
  ),
  Command.withExamples([
    {
      command: "bursar destination verify acme <id> USDC_BASE 0x9858EfFD232B4033E47d90003D41EC34EcaEda94 --as bob",
      description: "Verify a proposal of alice"
    }
  ])
)

const reject = Command.make(
  "reject",
  { ...named, reason: Flag.String("reason").pipe(Flag.withDescription("Why")) },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const path = { ...params, destination_id: options.destination }
    const payload = { reason: options.reason }
    const rejected = yield* client.custody.rejectDestination({ params: path, payload })
    yield* printRecord(options.json, rejected)
    const { withdrawals_waiting: waiting } = rejected
    if (waiting > 0) yield* Console.error(stopped(waiting, options.tenant))
  })
).pipe(Command.withDescription("Reject a proposal or a verified destination: nothing is sent there any more"))

/** `bursar destination …` */
export const destinationCommand = Command.make("destination").pipe(
  Command.withDescription("Withdrawal destinations of tenants"),
  Command.withSubcommands([propose, list, verify, reject])
)
