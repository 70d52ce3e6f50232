import type { Place } from "@bursar/core/reconciliation/Place"
import { PastObservation, PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import { type BreakSubject, type Candidate, ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Predicate } from "effect"
import * as Cell from "../internal/cells.ts"
import type { Row } from "../internal/cells.ts"
import { int8, json, numeric, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, type Column, column, groupColumn, type RecordTable } from "../internal/Table.ts"

const kinds: ReadonlyArray<Place["kind"]> = ["payout_wallets", "deposit_addresses", "custodian", "bank"]

const unitsOrNull = (cell: unknown): bigint | null => (cell === null ? null : Cell.units(cell))

const observedColumns: ReadonlyArray<Column<PlaceObservation>> = [
  column("position_key", text, PlaceObservation.key),
  column("place", text, ({ place }) => place),
  column("kind", text, ({ kind }) => kind),
  column("currency", text, ({ currency }) => currency),
  column("observation", text, ({ observation }) => observation),
  column("ledger", numeric, ({ ledger }) => ledger.toString()),
  column("observed", numeric, ({ observed }) => observed?.toString() ?? null),
  column("in_flight", numeric, ({ inFlight }) => inFlight.toString()),
  column("in_flight_least", numeric, ({ inFlightLeast }) => inFlightLeast.toString()),
  column("in_flight_most", numeric, ({ inFlightMost }) => inFlightMost.toString()),
  column("difference", numeric, ({ difference }) => difference?.toString() ?? null),
  bigintColumn("block_number", int8, ({ block }) => block?.number ?? null),
  column("block_hash", text, ({ block }) => block?.hash ?? null),
  column("observed_at", timestamptz, ({ at }) => at)
]

const readObserved = (row: Row): PlaceObservation => ({
  place: Cell.text(row.place),
  kind: Cell.oneOf(kinds, row.kind),
  currency: Cell.text(row.currency),
  observation: Cell.oneOf(["observed", "unsupported"], row.observation),
  ledger: Cell.units(row.ledger),
  observed: unitsOrNull(row.observed),
  inFlight: Cell.units(row.in_flight),
  inFlightLeast: Cell.units(row.in_flight_least),
  inFlightMost: Cell.units(row.in_flight_most),
  difference: unitsOrNull(row.difference),
  block: row.block_number === null ? null : { number: Cell.int(row.block_number), hash: Cell.text(row.block_hash) },
  at: Cell.at(row.observed_at)
})

/** The newest observation of each currency at each place. */
export const placeObservationTable: RecordTable<PlaceObservation> = {
  name: "place_observation",
  key: ["position_key"],
  keyType: text,
  columns: observedColumns,
  read: readObserved
}

/** Observations of the past. */
export const pastObservationTable: RecordTable<PastObservation> = {
  name: "past_observation",
  key: ["observation_id"],
  keyType: uuid,
  insertsUnread: true,
  expiry: "expires_at",
  columns: [
    column("observation_id", uuid, ({ id }) => id),
    column(groupColumn, text, PastObservation.group),
    column("expires_at", timestamptz, (one) => PastObservation.traits.expiresAt?.(one) ?? one.at),
    ...observedColumns
  ],
  read: (row) => ({ id: Cell.text(row.observation_id), ...readObserved(row) })
}

const readAbout = (row: Row): BreakSubject | null => {
  if (row.about_kind === null) return null
  const id = Cell.text(row.about_id)
  return row.about_tenant === null
    ? { kind: "statement_line", id }
    : { kind: "operation", id, tenantId: TenantId(Cell.text(row.about_tenant)) }
}

const candidateKinds: ReadonlySet<unknown> = new Set<Candidate["kind"]>([
  "operation",
  "deposit",
  "wallet_transfer",
  "transaction",
  "statement_line"
])

const isCandidate = (one: unknown): one is Candidate =>
  Predicate.hasProperty(one, "kind") &&
  candidateKinds.has(one.kind) &&
  Predicate.hasProperty(one, "id") &&
  typeof one.id === "string" &&
  Predicate.hasProperty(one, "tenantId") &&
  typeof one.tenantId === "string" &&
  Predicate.hasProperty(one, "at") &&
  typeof one.at === "number" &&
  !Number.isNaN(new Date(one.at).getTime()) &&
  Predicate.hasProperty(one, "reason") &&
  typeof one.reason === "string"

/** What the books do not explain. */
export const reconciliationBreakTable: RecordTable<ReconciliationBreak> = {
  name: "reconciliation_break",
  key: ["break_id"],
  keyType: uuid,
  columns: [
    column("break_id", uuid, ({ id }) => id),
    column(groupColumn, text, ReconciliationBreak.group),
    column("place", text, ({ place }) => place),
    column("currency", text, ({ currency }) => currency),
    column("units", numeric, ({ units }) => units.toString()),
    column("since", timestamptz, ({ since }) => since),
    bigintColumn("since_block", int8, ({ sinceBlock }) => sinceBlock),
    column("candidates", json, ({ candidates }) => candidates),
    column("about_kind", text, ({ about }) => about?.kind ?? null),
    column("about_id", text, ({ about }) => about?.id ?? null),
    column("about_tenant", uuid, ({ about }) => (about?.kind === "operation" ? about.tenantId : null)),
    column("explained_by", text, ({ explanation }) => explanation?.by ?? null),
    column("explanation", text, ({ explanation }) => explanation?.note ?? null),
    column("explained_at", timestamptz, ({ explanation }) => explanation?.at ?? null),
    column("alarmed_at", timestamptz, ({ alarmedAt }) => alarmedAt),
    column("told_at", timestamptz, ({ toldAt }) => toldAt),
    column("closed_at", timestamptz, ({ closedAt }) => closedAt)
  ],
  read: (row) => ({
    id: Cell.text(row.break_id),
    place: Cell.text(row.place),
    currency: Cell.text(row.currency),
    units: Cell.units(row.units),
    since: Cell.at(row.since),
    sinceBlock: Cell.intOrNull(row.since_block),
    candidates: Cell.list(row.candidates, isCandidate),
    about: readAbout(row),
    explanation:
      row.explained_by === null
        ? null
        : { by: Cell.text(row.explained_by), note: Cell.text(row.explanation), at: Cell.at(row.explained_at) },
    alarmedAt: Cell.atOrNull(row.alarmed_at),
    toldAt: Cell.atOrNull(row.told_at),
    closedAt: Cell.atOrNull(row.closed_at)
  })
}
