import { checkTenant } from "@bursar/core/checker/checkTenant"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { layer as layerWriter } from "@bursar/core/engine/Writer"
import { layerOver } from "@bursar/memory/Memory"
import { emptyState, type State, type TenantRecords } from "@bursar/memory/Store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { alterations } from "./support/alterations.ts"
import { happen, historyTenant } from "./support/history.ts"
import { localCurrencies } from "./support/localCurrencies.ts"
import { unwatched } from "./support/unwatched.ts"

/** A place where a row stands, and how another is put there; undefined takes it away. */
interface Place {
  readonly kind: string
  readonly row: unknown
  readonly put: (row: unknown) => void
}

const inMap = (kind: string, rows: ReadonlyMap<string, unknown>): ReadonlyArray<Place> => {
  const all = rows as Map<string, unknown> // the test writes what no command would
  return [...all].map(([key, row]) => ({
    kind,
    row,
    put: (other) => void (other === undefined ? all.delete(key) : all.set(key, other))
  }))
}

const inList = (kind: string, rows: ReadonlyArray<unknown>): ReadonlyArray<Place> => {
  const all = rows as Array<unknown> // the test writes what no command would
  const before = [...all]
  return before.map((row, at) => ({
    kind,
    row,
    put: (other) => void all.splice(0, all.length, ...before.toSpliced(at, 1, ...(other === undefined ? [] : [other])))
  }))
}

const inHead = (tenant: TenantRecords): Place => ({
  kind: "head",
  row: tenant.head,
  put: (row) => {
    tenant.head = (row ?? tenant.head) as TenantRecords["head"] // the test writes what no command would
  }
})

const placesOf = (state: State, tenant: TenantRecords): ReadonlyArray<Place> => [
  ...[...tenant.records].flatMap(([kind, rows]) => inMap(kind, rows)),
  ...inList("leg", tenant.legs),
  ...inList("event", tenant.events),
  ...inMap("balance", tenant.balances),
  ...inMap("job", state.jobs),
  inHead(tenant)
]

describe("a row that is altered or gone", () => {
  it.live(
    "is noticed by the checker, but for what is listed with its reason",
    () =>
      Effect.gen(function* () {
        const state = emptyState()
        const services = layerWriter.pipe(Layer.provideMerge(layerOver(state)))
        const unseen = yield* Effect.gen(function* () {
          yield* happen
          const { snapshot } = yield* LedgerSnapshot
          const isSeen = Effect.map(
            snapshot(historyTenant, (ledger) => checkTenant(ledger, { currencies: localCurrencies })),
            (results) => results.some(({ firstWrong }) => firstWrong !== null)
          )
          assert.isFalse(yield* isSeen)
          const tenant = state.tenants.get(historyTenant)
          assert.isDefined(tenant)
          const found = new Set<string>()
          for (const { kind, put, row } of placesOf(state, tenant)) {
            const gone = kind === "head" ? [] : [{ path: "", row: undefined }]
            for (const { path, row: altered } of [...gone, ...alterations(row)]) {
              put(altered)
              if (!(yield* isSeen)) found.add(`${kind}${path}`)
              put(row)
            }
          }
          assert.isFalse(yield* isSeen)
          return found
        }).pipe(Effect.provide(services))
        const listed = new Set(Object.values(unwatched).flat())
        assert.deepStrictEqual(
          {
            "noticed by nobody, and not listed": [...unseen].filter((one) => !listed.has(one)),
            "listed, and noticed": [...listed].filter((one) => !unseen.has(one))
          },
          { "noticed by nobody, and not listed": [], "listed, and noticed": [] }
        )
      }),
    { timeout: 120_000 }
  )
})
