import type { OperatorScanList } from "@bursar/api/operator/OperatorScan"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import type { OperatorClient } from "@bursar/client/effect"
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { connect, connectionFlags, findTenant, given, openTenant, tenantArgument } from "./operator.ts"
import { pageAsked, pageFlags, tellMore } from "./paging.ts"
import { printNext, printRecord, printRows } from "./print.ts"

const names = {
  tenant: Argument.String("tenant").pipe(Argument.withDescription("Slug or id of the tenant")),
  address: Argument.String("address").pipe(Argument.withDescription("The id of the deposit address"))
}

const hold = Command.make(
  "hold",
  {
    ...connectionFlags,
    ...names,
    reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which the tenant sees"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const params = { tenant_id: id, address_id: options.address }
    yield* printRecord(options.json, yield* client.addresses.hold({ params, payload: { reason: options.reason } }))
  })
).pipe(Command.withDescription("Stop the sweeping of an address, even if its tenant releases it"))

const release = Command.make(
  "release",
  {
    ...connectionFlags,
    ...names,
    heldAt: Flag.String("held-at").pipe(
      Flag.withDescription(
        "Since when the hold stands that you end, as `bursar address list` shows it: if another hold stands there by now, nothing is released"
      ),
      Flag.optional
    )
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const { id } = yield* findTenant(client, options.tenant)
    const params = { tenant_id: id, address_id: options.address }
    const query = given("held_at", options.heldAt)
    yield* printRecord(options.json, yield* client.addresses.release({ params, query }))
  })
).pipe(Command.withDescription("End a hold of an operator or of the service"))

const conflicts = Command.make(
  "conflicts",
  { ...connectionFlags, ...pageFlags },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* client.addresses.keyConflicts({ query: pageAsked(options) })
    yield* printRows(options.json, found.conflicts, "Nothing lost its key to another tenant.")
    yield* tellMore(found.next_cursor)
  })
).pipe(
  Command.withDescription("List addresses and keys that a tenant lost because their key belongs to another tenant")
)

const account = Command.make(
  "account",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    network: Argument.String("network").pipe(Argument.withDescription("Such as ethereum"))
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    yield* printRecord(
      options.json,
      yield* client.addresses.prepareIssuing({ params, payload: { network: options.network } })
    )
  })
).pipe(
  Command.withDescription("Show the account that a tenant's addresses are issued from, to grant it before the first"),
  Command.withExamples([
    {
      command: "bursar address account acme ethereum",
      description: "Then propose its family, seed_id and account_key as a grant of the kind issuing_account"
    }
  ])
)

const { limit } = pageFlags

const list = Command.make(
  "list",
  {
    ...connectionFlags,
    tenant: tenantArgument,
    network: Flag.String("network").pipe(Flag.withDescription("Only on this network"), Flag.optional),
    reference: Flag.String("reference").pipe(Flag.withDescription("Only with this reference"), Flag.optional),
    address: Flag.String("address").pipe(Flag.withDescription("Only this address, in any spelling"), Flag.optional),
    retired: Flag.Boolean("retired").pipe(Flag.withDescription("Retired ones too"), Flag.withDefault(false)),
    after: Flag.String("after").pipe(Flag.withDescription("The last id of the page before"), Flag.optional),
    limit
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const query = {
      limit: options.limit,
      include_retired: options.retired,
      ...given("network", options.network),
      ...given("reference", options.reference),
      ...given("address", options.address),
      ...given("after", options.after)
    }
    const { addresses } = yield* client.addresses.list({ params, query })
    const rows = addresses.map((one) => ({
      network: one.network,
      address: one.address,
      reference: one.reference,
      source: one.source,
      held: one.sweep_hold_kind,
      "held since": one.sweep_held_at,
      because: one.sweep_hold_reason,
      id: one.id
    }))
    yield* printRows(options.json, options.json ? addresses : rows, "No address was found.")
    yield* printNext(addresses, options.limit)
  })
).pipe(
  Command.withDescription("List a tenant's deposit addresses, oldest first"),
  Command.withExamples([
    { command: "bursar address list acme --reference customer-7", description: "Where customer 7 pays" }
  ])
)

const xpubs = Command.make(
  "xpubs",
  { ...connectionFlags, tenant: tenantArgument },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const found = yield* client.addresses.xpubs({ params })
    yield* printRows(options.json, found.xpubs, "The tenant has registered no extended public key.")
  })
).pipe(Command.withDescription("List a tenant's extended public keys, with how many of their indexes are used"))

const reorged = Command.make(
  "reorged",
  { ...connectionFlags, tenant: tenantArgument, limit },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const { deposits } = yield* client.addresses.reorged({ params, query: { limit: options.limit } })
    const rows = deposits.map(({ amount, id, network, reorged_at, status, tx_hash }) => ({
      reorged_at,
      status,
      network,
      amount: `${amount.amount} ${amount.currency}`,
      tx_hash,
      id
    }))
    yield* printRows(options.json, options.json ? deposits : rows, "No deposit's block left the chain.")
  })
).pipe(Command.withDescription("List deposits whose block left the chain, the latest first"))

const scan = Command.make(
  "scan",
  {
    ...connectionFlags,
    ...names,
    from: Flag.String("from").pipe(
      Flag.withDescription("The moment to begin at, such as 2026-11-01T00:00:00Z"),
      Flag.optional
    ),
    fromBlock: Flag.Int("from-block").pipe(Flag.withDescription("The block to begin at, instead"), Flag.optional)
  },
  Effect.fn(function* (options) {
    const { client, params } = yield* openTenant(options)
    const payload = { ...given("from", options.from), ...given("from_block", options.fromBlock) }
    const asked = client.addresses.scan({ params: { ...params, address_id: options.address }, payload })
    yield* printRecord(options.json, yield* asked)
  })
).pipe(
  Command.withDescription("Read the past of an address again, up to where the watcher is"),
  Command.withExamples([
    { command: "bursar address scan acme <id> --from 2026-11-01T00:00:00Z", description: "Then: bursar address scans" }
  ])
)

const scans = Command.make(
  "scans",
  {
    ...connectionFlags,
    ended: Flag.Boolean("ended").pipe(
      Flag.withDescription("Those that operators ended before they were read, instead"),
      Flag.withDefault(false)
    ),
    ...pageFlags
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const query = { ...pageAsked(options), ...(options.ended && { ended: true }) }
    const all = yield* client.addresses.scans({ query })
    const none = options.ended ? "No reading of the past was ended." : "Nothing of the past is being read."
    yield* printRows(options.json, all.scans, none)
    yield* tellMore(all.next_cursor)
  })
).pipe(Command.withDescription("List readings of the past that are not finished, with how far each has come"))

/** The reading of an id, on whatever page it stands. */
const findScan = Effect.fnUntraced(function* (client: OperatorClient, id: string) {
  let cursor: string | null = null
  do {
    const page: OperatorScanList = yield* client.addresses.scans({
      query: { limit: listLimits.operatorLists.maximum, ...(cursor !== null && { cursor }) }
    })
    const found = page.scans.find((one) => one.id === id)
    if (found !== undefined) return found
    cursor = page.next_cursor
  } while (cursor !== null)
  return yield* new CommandFailed({ message: `No reading of the past under way has the id ${id}.` })
})

const endScan = Command.make(
  "end-scan",
  {
    ...connectionFlags,
    id: Argument.String("id").pipe(Argument.withDescription("The reading's id, as bursar address scans shows it")),
    reason: Flag.String("reason").pipe(Flag.withDescription("The reason, which operators see"))
  },
  Effect.fn(function* (options) {
    const client = yield* connect(options)
    const found = yield* findScan(client, options.id)
    const params = { tenant_id: found.tenant_id, scan_id: found.id }
    const payload = { reason: options.reason, next_block: found.next_block }
    yield* printRecord(options.json, yield* client.addresses.endScan({ params, payload }))
  })
).pipe(
  Command.withDescription(
    "End a reading of the past that no node can serve: its blocks from next_block to last_block stay unread"
  )
)

/** `bursar address …` */
export const addressCommand = Command.make("address").pipe(
  Command.withDescription("Deposit addresses"),
  Command.withSubcommands([list, xpubs, account, hold, release, conflicts, scan, scans, endScan, reorged])
)
