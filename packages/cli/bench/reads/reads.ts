import type { StorageError } from "@bursar/core/engine/StorageError"
import type { Queries as QueriesPort } from "@bursar/core/store/Queries"
import type { Effect } from "effect"
import { odd, seeded, seededDays, seededFrom, seededId } from "./seed.ts"

/** A read by its name. */
export type Read = readonly [name: string, effect: Effect.Effect<unknown, StorageError>]

const limit = 100

/** A moment after a share of all that was seeded. */
const after = (share: number): number => seededFrom + Math.floor(share * seededDays * 86_400_000)

/** Every list, filter, page, sum and search of partners and operators over seeded rows; filters by what is rarest and furthest away. */
export const readsOf = (queries: QueriesPort["Service"], operations: number): ReadonlyArray<Read> => {
  const middle = { createdAt: after(0.5), id: seededId("a", operations / 2) }
  const register = (name: string, query: Partial<Parameters<typeof queries.register>[1]>): Read => [
    `register ${name}`,
    queries.register(seeded, { limit, ...query })
  ]
  const listed = (name: string, query: Partial<Parameters<typeof queries.operations>[0]>): Read => [
    `operations ${name}`,
    queries.operations({ limit, order: "newest", ...query })
  ]
  const moment = (share: number) => ({ at: after(share), nth: 0 })
  return [
    register("newest", {}),
    register("a page in the middle", { after: middle }),
    register("of a span", { since: after(0.2), until: after(0.4) }),
    register("by kind", { kind: odd.kind }),
    register("by kinds", { kinds: ["ON_RAMP", "OFF_RAMP", "BANK_TRANSFER", "REFUND", "INTERNAL_TRANSFER"] }),
    register("by status", { status: odd.status }),
    register("by another status", { status: "ACCEPTED" }),
    register("settled", { status: "SETTLED" }),
    register("by currency", { currency: odd.currency }),
    register("by a currency that is not there", { currency: "TRX" }),
    register("by customer", { customerId: odd.customerId }),
    register("by whom it acts for", { actsFor: odd.actsFor }),
    register("unresolved", { unresolved: true }),
    register("resolved", { unresolved: false }),
    register("by partner reference", { partnerReference: "partner-7" }),
    register("by kind and status", { kind: "WITHDRAWAL", status: odd.status }),
    register("by kind and currency", { kind: "WITHDRAWAL", currency: odd.currency }),
    register("by currency and status", { currency: "USDT_ETH", status: odd.status }),
    register("by kind, for customers", { kind: "WITHDRAWAL", actsFor: odd.actsFor }),
    ["summary of all", queries.summary(seeded, {})],
    ["summary of a span", queries.summary(seeded, { since: after(0.06), until: after(0.94) })],
    listed("newest", {}),
    listed("oldest", { order: "oldest" }),
    listed("of one tenant in the middle", { tenantId: seeded, after: middle }),
    listed("by kind", { kinds: [odd.kind] }),
    listed("by status", { status: odd.status }),
    listed("by kind and status", { kinds: ["WITHDRAWAL"], status: odd.status }),
    listed("unresolved", { unresolved: true }),
    listed("contradicted", { contradicted: true }),
    listed("by reason to wait", { waitingReason: "no_gas" }),
    listed("by provider", { provider: odd.provider }),
    listed("by network", { network: odd.network }),
    listed("by transaction", { txHash: "0x" }),
    ["events from the first", queries.events(seeded, 0, limit)],
    ["events in the middle", queries.events(seeded, operations, limit)],
    ["events of a record", queries.eventsOf(seeded, seededId("a", 7))],
    ["deposits", queries.deposits(seeded, { after: 0, limit })],
    ["deposits by reference", queries.deposits(seeded, { after: 0, reference: "r7", limit })],
    ["addresses", queries.addresses(seeded, { includeRetired: false, limit })],
    ["addresses with those retired", queries.addresses(seeded, { includeRetired: true, limit })],
    ["addresses by network", queries.addresses(seeded, { includeRetired: true, network: "ethereum", limit })],
    ["addresses by reference", queries.addresses(seeded, { includeRetired: true, reference: odd.reference, limit })],
    ["addresses by address", queries.addresses(seeded, { includeRetired: true, address: "address-7", limit })],
    ["a page of addresses", queries.addresses(seeded, { includeRetired: true, after: seededId("b", 20), limit })],
    ["float", queries.float(seeded)],
    ["statement from the first", queries.statement(seeded, { currency: "USDT_ETH", limit })],
    [
      "statement of a span",
      queries.statement(seeded, { currency: "USDT_ETH", since: moment(0.5), until: moment(0.7), limit })
    ],
    ["lines of an account", queries.accountLines(seeded, { account: "custodian", currency: "USDT_ETH", limit })],
    ["an operation", queries.operation(seeded, seededId("a", 7))],
    ["legs of an operation", queries.legs(seeded, seededId("a", 7))],
    ["an idempotency key", queries.idempotencyRecord(seeded, "key-7")],
    ["search by transaction", queries.search(["0xc4ca4238a0b923820dcc509a6f75849b"], limit)],
    ["search by id", queries.search([seededId("a", 7)], limit)],
    ["search by nothing that is there", queries.search(["nothing"], limit)]
  ]
}
