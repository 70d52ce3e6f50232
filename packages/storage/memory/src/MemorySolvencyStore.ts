import { normalSide } from "@bursar/core/ledger/Account"
import type { Balance } from "@bursar/core/ledger/Leg"
import { type SolvencyNode, SolvencyStore } from "@bursar/core/solvency/SolvencyStore"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { type OwedToTenant, owedUnits } from "@bursar/core/solvency/OwedToTenant"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { SweepableDeposit, isFree } from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer, Stream } from "effect"
import { compareText } from "./byAge.ts"
import { recordsOf, Store, type TenantRecords } from "./Store.ts"

const placeOf = ({ currency, index, level }: Pick<SolvencyNode, "currency" | "index" | "level">): string =>
  `${currency}:${level}:${index}`

const sum = (balances: ReadonlyArray<Balance>, wanted: (account: string) => boolean): bigint =>
  balances.filter(({ account }) => wanted(account)).reduce((total, { units }) => total + units, 0n)

/** What a tenant is owed, by currency. */
const owedTo = (tenantId: TenantId, { balances, head }: TenantRecords): ReadonlyArray<OwedToTenant> =>
  [...Map.groupBy(balances.values(), ({ currency }) => currency)].map(([currency, all]) => ({
    tenantId,
    currency,
    posting: head.postingSeq,
    available: sum(all, (account) => account === "float:available"),
    held: sum(all, (account) => account === "float:held"),
    customers: sum(
      all.filter(({ units }) => units > 0n),
      (account) => account.startsWith("account:")
    ),
    // debits count as positive there
    converting: (normalSide("exchange") === "DEBIT" ? -1n : 1n) * sum(all, (account) => account === "exchange"),
    ownAddresses: sum(all, (account) => account.startsWith("chain:") && account.endsWith(":tenant")),
    unattributed: (normalSide("suspense") === "DEBIT" ? -1n : 1n) * sum(all, (account) => account === "suspense")
  }))

const toHex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** SHA-256 of the key and the tenant, by which leaves are in order. */
const orderOf = (orderKey: string, tenantId: string): Effect.Effect<string> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${orderKey}${tenantId}`))),
    toHex
  )

/** What proofs of solvency are made of and what they leave, in memory. */
export const layer = Layer.effect(
  SolvencyStore,
  Effect.map(Store, ({ solvency, tenants }) => {
    const { leaves, nodes, snapshots } = solvency
    const newest = () =>
      [...snapshots.values()].toSorted((one, other) => other.takenAt - one.takenAt || compareText(other.id, one.id))
    return SolvencyStore.of({
      owed: ({ environment, orderKey }) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const all = [...tenants]
              .filter(([id, { head }]) => id !== fleetTenantId && head.tenant.kind === environment)
              .flatMap(([id, tenant]) => owedTo(id, tenant))
              .filter((owed) => owedUnits(owed) > 0n || owed.unattributed > 0n)
            const placed = yield* Effect.forEach(all, (owed) =>
              Effect.map(orderOf(orderKey, owed.tenantId), (order) => ({ owed, order }))
            )
            const inOrder = placed.toSorted(
              (one, other) => compareText(one.owed.currency, other.owed.currency) || compareText(one.order, other.order)
            )
            return Stream.fromIterable(inOrder.map(({ owed }) => owed))
          })
        ),
      unswept: (tenantId) =>
        Effect.sync(() => {
          const tenant = tenants.get(tenantId)
          if (tenant === undefined) return []
          const free = [...recordsOf(tenant, SweepableDeposit).values()].filter(isFree)
          const open = [...recordsOf(tenant, Sweep).values()].filter(({ closedAt }) => closedAt === null)
          const byPlace = new Map(
            [...free, ...open].map(({ address, key, network }) => [`${network}|${address}`, { address, key, network }])
          )
          return [...byPlace].toSorted(([one], [other]) => compareText(one, other)).map(([, address]) => address)
        }),
      addNodes: (id, part) =>
        Effect.sync(() => {
          leaves.set(id, [...(leaves.get(id) ?? []), ...part.leaves])
          const placed = nodes.get(id) ?? new Map<string, SolvencyNode>()
          for (const node of part.nodes) placed.set(placeOf(node), node)
          nodes.set(id, placed)
        }),
      add: (snapshot) =>
        Effect.sync(() => {
          if (!snapshots.has(snapshot.id)) snapshots.set(snapshot.id, { ...snapshot, published: null })
        }),
      publish: (id, published) =>
        Effect.sync(() => {
          const snapshot = snapshots.get(id)
          if (snapshot === undefined || snapshot.published !== null) return snapshot
          const shown = { ...snapshot, published }
          snapshots.set(id, shown)
          return shown
        }),
      byId: (id) => Effect.sync(() => snapshots.get(id)),
      latestPublished: (environment) =>
        Effect.sync(() => newest().find((one) => one.published !== null && one.environment === environment)),
      list: (limit) => Effect.sync(() => newest().slice(0, limit)),
      leavesOf: (tenantId, id) =>
        Effect.sync(() =>
          (leaves.get(id) ?? [])
            .filter((leaf) => leaf.tenantId === tenantId)
            .toSorted((one, other) => compareText(one.currency, other.currency))
        ),
      nodesAt: (id, places) =>
        Effect.sync(() =>
          places.map((place) => nodes.get(id)?.get(placeOf(place))).filter((node) => node !== undefined)
        ),
      leaves: (id) =>
        Stream.suspend(() =>
          Stream.fromIterable(
            (leaves.get(id) ?? []).toSorted(
              (one, other) => compareText(one.currency, other.currency) || one.index - other.index
            )
          )
        )
    })
  })
)
