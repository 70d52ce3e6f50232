import type { AnyRecord } from "@bursar/core/engine/Records"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { type OperationQuery, Queries, type RegisterPosition, type RegisterQuery } from "@bursar/core/store/Queries"
import { Effect } from "effect"

/** More than a world ever has of anything. */
const all = 100_000

/** So few that there are several pages. */
const pageSize = 7

const paged = <A extends RegisterPosition, E>(
  page: (after: RegisterPosition | undefined) => Effect.Effect<ReadonlyArray<A>, E>
): Effect.Effect<ReadonlyArray<A>, E> =>
  Effect.gen(function* () {
    const found: Array<A> = []
    while (true) {
      const last = found.at(-1)
      const more = yield* page(last && { createdAt: last.createdAt, id: last.id })
      found.push(...more)
      if (more.length < pageSize) return found
    }
  })

/** The value with each rate in one form: 1.50 is 1.5, whatever it is stored as. */
const alike = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map(alike)
  const entries = Object.entries(value)
  const { decimals, units } = Object.fromEntries(entries)
  if (entries.length !== 2 || typeof decimals !== "number" || typeof units !== "bigint")
    return Object.fromEntries(entries.map(([name, one]) => [name, alike(one)]))
  let [places, digits] = [decimals, units]
  while (places > 0 && digits % 10n === 0n) [places, digits] = [places - 1, digits / 10n]
  return { decimals: places, units: digits }
}

/**
 * All that a storage shows of a tenant: the records of the kinds that are named, and every list that the service reads, whole, filtered
 * and by pages. By what was asked for.
 */
export const readAll = Effect.fn("simulation.readAll")(function* (tenantId: TenantId, kinds: Iterable<AnyRecord>) {
  const queries = yield* Queries
  const shown = new Map<string, unknown>()
  const show = <A, E>(what: string, read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tap(read, (found) => Effect.sync(() => void shown.set(what, alike(found))))

  for (const kind of kinds) yield* show(`records of ${kind.name}`, queries.records(tenantId, kind))

  const query = { tenantId, order: "oldest", limit: all } as const
  const operations = yield* show("operations", queries.operations(query))
  const each = <A>(of: (one: (typeof operations)[number]) => A | null | undefined) =>
    new Set(operations.map(of).filter((one) => one !== null && one !== undefined))
  /** Those that the register knows as well, and those of operators alone. */
  const ofBoth: ReadonlyArray<Partial<RegisterQuery>> = [
    ...[...each(({ status }) => status)].map((status) => ({ status })),
    ...[...each(({ kind }) => kind)].map((kind) => ({ kinds: [kind] })),
    ...[...each(({ amount }) => amount.currency)].map((currency) => ({ currency })),
    { unresolved: true },
    { unresolved: false }
  ]
  const ofOperators: ReadonlyArray<Partial<OperationQuery>> = [
    ...[...each(({ network }) => network)].map((network) => ({ network })),
    ...[...each(({ provider }) => provider)].map((provider) => ({ provider })),
    { contradicted: true }
  ]
  for (const filter of ofBoth)
    yield* show(`register with ${JSON.stringify(filter)}`, queries.register(tenantId, { ...filter, limit: all }))
  for (const filter of [...ofBoth, ...ofOperators])
    yield* show(`operations with ${JSON.stringify(filter)}`, queries.operations({ ...query, ...filter }))
  const pages = (order: OperationQuery["order"]) =>
    paged((after) => queries.operations({ tenantId, order, limit: pageSize, after }))
  yield* show("operations by pages, newest first", pages("newest"))
  yield* show("operations by pages, oldest first", pages("oldest"))
  yield* show(
    "register by pages",
    paged((after) => queries.register(tenantId, { limit: pageSize, after }))
  )
  const [since, until] = [operations[Math.floor(operations.length / 3)], operations.at(-1)].map((one) => one?.createdAt)
  yield* show("register between moments", queries.register(tenantId, { since, until, limit: all }))
  for (const between of [{}, { since, until }]) {
    // in no order
    const totals = Effect.map(queries.summary(tenantId, between), (found) =>
      Object.fromEntries(found.map((one) => [`${one.kind} ${one.currency} ${one.status}`, one]))
    )
    yield* show(`summary of ${JSON.stringify(between)}`, totals)
  }

  for (const { id } of operations) {
    yield* show(`legs of ${id}`, queries.legs(tenantId, id))
    yield* show(`events of ${id}`, queries.eventsOf(tenantId, id))
  }
  yield* show("events", queries.events(tenantId, 0, all))
  yield* show("newest event", queries.newestEvent(tenantId, null))
  const float = yield* show("float", queries.float(tenantId))
  for (const { account, currency } of float)
    yield* show(`lines of ${account} ${currency}`, queries.accountLines(tenantId, { account, currency, limit: all }))
  for (const currency of new Set(float.map((one) => one.currency))) {
    yield* show(`statement in ${currency}`, queries.statement(tenantId, { currency, limit: all }))
    yield* show(`beginning of the statement in ${currency}`, queries.statement(tenantId, { currency, limit: 3 }))
  }

  const deposits = yield* show("deposits", queries.deposits(tenantId, { after: 0, limit: all }))
  const middle = deposits[Math.floor(deposits.length / 2)]?.changeSeq ?? 0
  yield* show("later deposits", queries.deposits(tenantId, { after: middle, limit: all }))
  yield* show("deposits that left the chain", queries.reorgedDeposits(tenantId, all))
  for (const includeRetired of [true, false]) {
    yield* show(`addresses, retired: ${includeRetired}`, queries.addresses(tenantId, { includeRetired, limit: all }))
    yield* show(`xpubs, retired: ${includeRetired}`, queries.xpubs(tenantId, { includeRetired }))
  }
  yield* show("customers", queries.customers(tenantId, { limit: all }))
  for (const open of [true, false, undefined])
    yield* show(`sweeps, open: ${open}`, queries.sweeps(tenantId, { open, limit: all }))
  yield* show("endpoints", queries.endpoints(tenantId))
  return shown
})
