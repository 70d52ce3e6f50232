import { DepositAddress } from "@bursar/core/address/DepositAddress"
import { addressKey, type AddressOwner, keyHolders, type KeyName, type KeyOwner } from "@bursar/core/engine/Directory"
import type { ReadSet } from "@bursar/core/engine/Read"
import type { Loaded } from "@bursar/core/engine/runBatch"
import { StorageError } from "@bursar/core/engine/StorageError"
import { balanceKey } from "@bursar/core/ledger/Account"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { arrayParameter, parameter, text, uuid } from "../internal/columnTypes.ts"
import { mappedIn, type RecordMapping } from "../internal/MappedRecord.ts"
import { selectList, type Statement } from "../internal/Table.ts"
import type { Transaction } from "../internal/Transaction.ts"
import { addressTable } from "../table/addressTable.ts"
import { balanceTable } from "../table/balanceTable.ts"
import { factTables } from "../table/factTables.ts"
import { mappedNewest } from "../table/newestTables.ts"

const texts = (values: ReadonlyArray<string>) => arrayParameter(text, values)

const statements = {
  // lateral, with a limit: one look-up by the unique key for each record that is wanted, whatever the planner believes of the
  // table; joined in the plain way, a young table was read whole for each
  balances: `select ${selectList(balanceTable, "t")} from unnest($2::text[], $3::text[]) as w(account, currency)
    cross join lateral (
      select * from balance b where b.tenant_id = $1 and b.account = w.account and b.currency = w.currency limit 1) t`,
  liveAddresses: `select d.network as live_network, d.address as live_address, d.tenant_id as owner, d.address_id as owner_id,
      ${selectList(addressTable, "t")}
    from unnest($2::text[], $3::text[]) as w(network, address)
    cross join lateral (
      select * from address_directory e where e.address = w.address and e.network = w.network limit 1) d
    left join lateral (
      select * from address a where a.tenant_id = $1 and d.tenant_id = $1 and a.address_id = d.address_id limit 1) t on true`,
  keyOwners: `select o.key_name, o.tenant_id as owner, o.holder, o.held_by, ${selectList(addressTable, "t")}
    from key_owner o
    left join lateral (
      select * from address a where a.tenant_id = $1 and o.tenant_id = $1 and o.holder = 'SERVICE' and a.address_id = o.held_by
      limit 1) t on true
    where o.key_name = any($2)`
}

/** Rows to wait for. */
type Rows = Effect.Effect<ReadonlyArray<Row>, SqlError | StorageError>

const noRows: Rows = Effect.succeed([])

const ask = (send: Transaction["send"], statement: Statement | undefined): Effect.Effect<Rows> =>
  statement === undefined
    ? Effect.succeed(noRows)
    : Effect.map(
        send(statement.sql, statement.parameters),
        Effect.map(({ rows }) => rows)
      )

/** The tenant's own address that stands beside an entry of the directory, if one does. */
const addressesIn = (rows: ReadonlyArray<Row>): ReadonlyArray<DepositAddress> =>
  rows.flatMap((row) => (row.address_id === null ? [] : [addressTable.read(row)]))

const liveAddress = (row: Row): readonly [string, AddressOwner] => [
  addressKey(Cell.text(row.live_network), Cell.text(row.live_address)),
  { owner: TenantId(Cell.text(row.owner)), id: Cell.text(row.owner_id) }
]

const keyOwner = (row: Row): readonly [KeyName, KeyOwner] => [
  Cell.text(row.key_name),
  {
    owner: TenantId(Cell.text(row.owner)),
    holder: Cell.oneOf(keyHolders, row.holder),
    by: Cell.text(row.held_by)
  }
]

/** Sends what loads the records of a read-set, and gives what waits for them. */
const loadRecords = Effect.fnUntraced(function* (
  send: Transaction["send"],
  mapping: RecordMapping,
  tenantId: TenantId,
  { records }: ReadSet
) {
  const loading = yield* Effect.forEach([...records.values()], ({ groups, keys, of }) =>
    Effect.gen(function* () {
      const mapped = mappedIn(mapping, of)
      const byKeys = yield* ask(send, keys.size === 0 ? undefined : mapped.byKeys(tenantId, [...keys.values()]))
      const byGroups = yield* ask(send, groups.size === 0 ? undefined : mapped.byGroups(tenantId, [...groups]))
      return Effect.map(
        Effect.all([byKeys, byGroups]),
        (rows) => [of.name, new Map(rows.flat().map(mapped.entry))] as const
      )
    })
  )
  return Effect.map(Effect.all(loading), (found) => new Map<string, ReadonlyMap<string, unknown>>(found))
})

/** Sends what loads the newest of groups, and gives what waits for them. */
const loadNewest = Effect.fnUntraced(function* (send: Transaction["send"], tenantId: TenantId, { newest }: ReadSet) {
  const loading = yield* Effect.forEach([...newest.values()], ({ groups, of }) => {
    const mapped = mappedNewest.get(of.name)
    if (mapped === undefined) throw new Error(`the newest ${of.name} has no table`)
    return Effect.map(
      ask(send, mapped.select(tenantId, [...groups])),
      Effect.map((rows) => [of.name, new Map(rows.map(mapped.entry))] as const)
    )
  })
  return Effect.map(Effect.all(loading), (found) => new Map(found))
})

/** Sends what loads shared facts, and gives what waits for them. */
const loadFacts = Effect.fnUntraced(function* (send: Transaction["send"], { facts }: ReadSet) {
  const loading = yield* Effect.forEach([...facts.values()], ({ keys, of }) => {
    const table = factTables.get(of.name)
    if (table === undefined) throw new Error(`the fact ${of.name} has no table`)
    return Effect.map(
      ask(send, { sql: table.sql, parameters: [texts([...keys])] }),
      Effect.map((rows) => [of.name, new Map(rows.map(table.entry))] as const)
    )
  })
  return Effect.map(Effect.all(loading), (found) => new Map(found))
})

/**
 * Sends the statements that load a read-set, one or two per kind that is asked for, and gives what loads them to wait for.
 * Everything but the head. A row that cannot be read fails it as unstorable: nothing is written yet, and whoever does not ask for that row goes on.
 */
export const load = Effect.fnUntraced(function* (
  { send }: Transaction,
  mapping: RecordMapping,
  tenantId: TenantId,
  reads: ReadSet
) {
  const tenant = parameter(uuid, tenantId)
  const balances = [...reads.balances.values()]
  const addresses = [...reads.liveAddresses.values()]
  const loading = {
    balances: yield* ask(
      send,
      balances.length === 0
        ? undefined
        : {
            sql: statements.balances,
            parameters: [
              tenant,
              texts(balances.map(({ account }) => account)),
              texts(balances.map(({ currency }) => currency))
            ]
          }
    ),
    liveAddresses: yield* ask(
      send,
      addresses.length === 0
        ? undefined
        : {
            sql: statements.liveAddresses,
            parameters: [
              tenant,
              texts(addresses.map(({ network }) => network)),
              texts(addresses.map(({ address }) => address))
            ]
          }
    ),
    keyOwners: yield* ask(
      send,
      reads.keyOwners.size === 0
        ? undefined
        : { sql: statements.keyOwners, parameters: [tenant, texts([...reads.keyOwners])] }
    ),
    records: yield* loadRecords(send, mapping, tenantId, reads),
    newest: yield* loadNewest(send, tenantId, reads),
    facts: yield* loadFacts(send, reads)
  }
  return Effect.map(Effect.all(loading), (found): Omit<Loaded, "head"> => {
    const named = [...addressesIn(found.liveAddresses), ...addressesIn(found.keyOwners)]
    if (named.length > 0) {
      const known = found.records.get(DepositAddress.name) ?? []
      found.records.set(DepositAddress.name, new Map([...known, ...named.map((one) => [one.id, one] as const)]))
    }
    return {
      balances: new Map(
        found.balances.map(balanceTable.read).map((one) => [balanceKey(one.account, one.currency), one] as const)
      ),
      liveAddresses: new Map(found.liveAddresses.map(liveAddress)),
      keyOwners: new Map(found.keyOwners.map(keyOwner)),
      records: found.records,
      newest: found.newest,
      facts: found.facts
    }
  }).pipe(
    // what is thrown here was thrown by what reads a row
    Effect.catchDefect((cause) => Effect.fail(new StorageError({ doing: "commit", cause, unstorable: true })))
  )
})
