import type {
  PlaceObservation as WireObservation,
  ReconciliationBreak as WireBreak
} from "@bursar/api/operator/OperatorReconciliation"
import { toIso, type Timestamp } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import type { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { isoOrNull } from "../../../wire/moment.ts"
import { toldMoney } from "../../../wire/money.ts"

/** An amount of a currency, which may be below zero. */
export const moneyOf = (currencies: CurrencyTable, currency: string) => (units: bigint) =>
  toldMoney(currencies, units, currency)

/** What was found of a currency at a place. */
export const observationToWire = (currencies: CurrencyTable, one: PlaceObservation): WireObservation => {
  const money = moneyOf(currencies, one.currency)
  return {
    place: one.place,
    kind: one.kind,
    currency: one.currency,
    observation: one.observation,
    ledger: money(one.ledger),
    in_flight: money(one.inFlight),
    in_flight_least: money(one.inFlightLeast),
    in_flight_most: money(one.inFlightMost),
    observed: one.observed === null ? null : money(one.observed),
    difference: one.difference === null ? null : money(one.difference),
    block_number: one.block?.number ?? null,
    block_hash: one.block?.hash ?? null,
    observed_at: toIso(one.at)
  }
}

/** A break, with how old it is. */
export const breakToWire = (currencies: CurrencyTable, one: ReconciliationBreak, now: Timestamp): WireBreak => ({
  id: one.id,
  place: one.place,
  currency: one.currency,
  difference: moneyOf(currencies, one.currency)(one.units),
  since: toIso(one.since),
  since_block: one.sinceBlock,
  age_seconds: Math.max(0, Math.floor(((one.closedAt ?? now) - one.since) / 1_000)),
  state: one.closedAt !== null ? "closed" : one.explanation === null ? "open" : "explained",
  alarmed_at: isoOrNull(one.alarmedAt),
  explained_by: one.explanation?.by ?? null,
  note: one.explanation?.note ?? null,
  explained_at: isoOrNull(one.explanation?.at),
  closed_at: isoOrNull(one.closedAt),
  candidates: one.candidates.map(({ at, id, kind, reason, tenantId }) => ({
    kind,
    id,
    tenant_id: tenantId,
    at: toIso(at),
    reason
  })),
  about: one.about === null ? null : { kind: one.about.kind, id: one.about.id }
})
