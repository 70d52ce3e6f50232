import type { DepositAddress, NamedRegistration } from "@bursar/core/address/DepositAddress"
import { isUuid } from "@bursar/core/base/uuid"
import { addressOrigins, TenantId } from "@bursar/core/tenant/Tenant"
import { Predicate } from "effect"
import * as Cell from "../internal/cells.ts"
import { int8, json, text, timestamptz, uuid } from "../internal/columnTypes.ts"
import { bigintColumn, column, type RecordTable } from "../internal/Table.ts"

const isNamedRegistration = (one: unknown): one is NamedRegistration =>
  Predicate.hasProperty(one, "id") &&
  typeof one.id === "string" &&
  isUuid(one.id) &&
  Predicate.hasProperty(one, "keyid") &&
  typeof one.keyid === "string"

/** Deposit addresses, live and retired. */
export const addressTable: RecordTable<DepositAddress> = {
  name: "address",
  key: ["address_id"],
  keyType: uuid,
  groups: "from address t where t.tenant_id = $1 and t.address = any($2::text[])",
  columns: [
    column("address_id", uuid, ({ id }) => id),
    column("network", text, ({ network }) => network),
    column("address", text, ({ address }) => address),
    column("reference", text, ({ reference }) => reference),
    column("origin", text, ({ origin }) => origin),
    column("xpub_id", text, ({ xpubId }) => xpubId),
    column("seed_id", text, ({ seedId }) => seedId),
    bigintColumn("derivation_index", int8, ({ derivationIndex }) => derivationIndex),
    column("watch_from", timestamptz, ({ watchFrom }) => watchFrom),
    bigintColumn("watch_from_block", int8, ({ watchFromBlock }) => watchFromBlock),
    bigintColumn("registered_at_block", int8, ({ registeredAtBlock }) => registeredAtBlock),
    column("sweep_hold", json, ({ sweepHold }) => sweepHold),
    column("retired_at", timestamptz, ({ retiredAt }) => retiredAt),
    column("created_at", timestamptz, ({ createdAt }) => createdAt),
    column("watch_now_until", timestamptz, ({ watchNowUntil }) => watchNowUntil),
    column("sibling_of", uuid, ({ siblingOf }) => siblingOf),
    column("registrations", json, ({ registrations }) => (registrations.length === 0 ? null : registrations))
  ],
  read: (row) => ({
    id: Cell.text(row.address_id),
    tenantId: TenantId(Cell.text(row.tenant_id)),
    network: Cell.text(row.network),
    address: Cell.text(row.address),
    reference: Cell.text(row.reference),
    origin: Cell.oneOf(addressOrigins, row.origin),
    xpubId: Cell.textOrNull(row.xpub_id),
    seedId: Cell.textOrNull(row.seed_id),
    derivationIndex: Cell.intOrNull(row.derivation_index),
    watchFrom: Cell.at(row.watch_from),
    watchFromBlock: Cell.intOrNull(row.watch_from_block),
    registeredAtBlock: Cell.intOrNull(row.registered_at_block),
    sweepHold: Cell.json(row.sweep_hold),
    retiredAt: Cell.atOrNull(row.retired_at),
    createdAt: Cell.at(row.created_at),
    watchNowUntil: Cell.atOrNull(row.watch_now_until),
    siblingOf: Cell.textOrNull(row.sibling_of),
    // what has another form names no request: the address is one that nobody has signed for, which is judged
    registrations: Cell.list(row.registrations, isNamedRegistration)
  })
}
