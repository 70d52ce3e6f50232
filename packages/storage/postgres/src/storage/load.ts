import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { keyHolders, type KeyOwner } from "@bursar/core/address/KeyClaim"
import { keyFamilies } from "@bursar/core/address/KeyFamily"
import { addressKey, balanceKey, depositKey, nonceKey, type ReadSet, xpubUseKey } from "@bursar/core/engine/Read"
import type { Loaded } from "@bursar/core/engine/runBatch"
import type { LiveAddress } from "@bursar/core/engine/View"
import { networks } from "@bursar/core/money/Network"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Row } from "../internal/cells.ts"
import * as Cell from "../internal/cells.ts"
import { arrayParameter, type ColumnType, int8, parameter, text, uuid } from "../internal/columnTypes.ts"
import { isId } from "../internal/ids.ts"
import { selectList, type Table } from "../internal/Table.ts"
import type { Transaction } from "../internal/Transaction.ts"
import { addressTable } from "../table/addressTable.ts"
import { apiKeyTable } from "../table/apiKeyTable.ts"
import { balanceTable } from "../table/balanceTable.ts"
import { idempotencyRecordTable } from "../table/idempotencyRecordTable.ts"
import { depositTable } from "../table/depositTable.ts"
import { endpointTable } from "../table/endpointTable.ts"
import { nonceTable } from "../table/nonceTable.ts"
import { issuingAccountTable } from "../table/issuingAccountTable.ts"
import { operationTable } from "../table/operationTable.ts"
import { selectSigningKeys, signingKeyTable } from "../table/signingKeyTable.ts"
import { xpubTable } from "../table/xpubTable.ts"
import { keyStatements } from "./keyStatements.ts"
import { loadRecords } from "./records.ts"

type Loading<K, V> = Effect.Effect<ReadonlyMap<K, V>, SqlError>

const texts = (values: ReadonlyArray<string>) => arrayParameter(text, values)

const byKey = <A>(table: Table<A>): string =>
  `select ${selectList(table, "t")} from ${table.name} t where t.tenant_id = $1 and t.${table.key[0]} = any($2)`

const statements = {
  operations: byKey(operationTable),
  addresses: byKey(addressTable),
  idempotencyRecords: byKey(idempotencyRecordTable),
  apiKeys: byKey(apiKeyTable),
  endpoints: byKey(endpointTable),
  // lateral, with a limit: one look-up by the unique key for each record that is wanted, whatever the planner believes of the
  // table; joined in the plain way, a young table's deposits were read whole for each
  balances: `select ${selectList(balanceTable, "t")} from unnest($2::text[], $3::text[]) as w(account, currency)
    cross join lateral (
      select * from balance b where b.tenant_id = $1 and b.account = w.account and b.currency = w.currency limit 1) t`,
  deposits: `select ${selectList(depositTable, "t")} from unnest($2::text[], $3::text[], $4::int8[]) as w(network, tx_hash, transfer_index)
    cross join lateral (
      select * from deposit d where d.tenant_id = $1 and d.network = w.network and d.tx_hash = w.tx_hash
        and d.transfer_index = w.transfer_index limit 1) t`,
  liveAddresses: `select d.network as live_network, d.address as live_address, d.tenant_id as owner, ${selectList(addressTable, "t")}
    from unnest($2::text[], $3::text[]) as w(network, address)
    cross join lateral (
      select * from address_directory e where e.address = w.address and e.network = w.network limit 1) d
    left join lateral (
      select * from address a where a.tenant_id = $1 and d.tenant_id = $1 and a.address_id = d.address_id limit 1) t on true`,
  // the lock keeps a takeover from slipping in between this look and the commit
  leases: "select name, epoch from lease where name = any($1) order by name for share",
  heights: `select network, greatest(cursor_number, latest) as height from network_status
    where network = any($1) and cursor_number is not null`,
  payoutsOff: "select network, payouts_off from network_switch where network = any($1)",
  signingKeys: selectSigningKeys,
  nonces: `select ${selectList(nonceTable, "t")} from unnest($2::text[], $3::text[]) as w(keyid, nonce)
    cross join lateral (
      select * from signature_nonce n where n.tenant_id = $1 and n.keyid = w.keyid and n.nonce = w.nonce limit 1) t`
}

const liveAddress = (row: Row): readonly [string, LiveAddress] => {
  const record: DepositAddress | undefined = row.address_id === null ? undefined : addressTable.read(row)
  return [
    addressKey(Cell.oneOf(networks, row.live_network), Cell.text(row.live_address)),
    { owner: TenantId(Cell.text(row.owner)), record }
  ]
}

const keyOwner = (row: Row): KeyOwner => ({
  owner: TenantId(Cell.text(row.owner)),
  holder: Cell.oneOf(keyHolders, row.holder),
  record: row.address_id === null ? undefined : addressTable.read(row)
})

/** The tenant's own records of some addresses, and the deposits on them. */
const histories = Effect.fnUntraced(function* (
  send: Transaction["send"],
  tenant: unknown,
  wanted: ReadonlyArray<string>
) {
  if (wanted.length === 0) return Effect.succeed<Loaded["histories"]>(new Map())
  const records = yield* send(keyStatements.ownRecords, [tenant, texts(wanted)])
  const deposits = yield* send(keyStatements.depositsAt, [tenant, texts(wanted)])
  return Effect.map(Effect.all([records, deposits]), ([found, arrived]): Loaded["histories"] => {
    const all = { records: found.rows.map(addressTable.read), deposits: arrived.rows.map(depositTable.read) }
    return new Map(
      wanted.map((address) => [
        address,
        {
          records: all.records.filter((record) => record.address === address),
          deposits: all.deposits.filter((deposit) => deposit.address === address)
        }
      ])
    )
  })
})

/**
 * Sends the statements that load a read-set, one per kind that is asked for, and gives what loads them to wait for.
 * Everything but the head.
 */
export const load = Effect.fnUntraced(function* (open: Transaction, tenantId: TenantId, reads: ReadSet) {
  const { send } = open
  const tenant = parameter(uuid, tenantId)

  const ask = <A, K, V>(
    sql: string,
    wanted: ReadonlyArray<A>,
    parameters: (wanted: ReadonlyArray<A>) => ReadonlyArray<unknown>,
    entry: (row: Row) => readonly [K, V]
  ): Effect.Effect<Loading<K, V>> =>
    wanted.length === 0
      ? Effect.succeed(Effect.succeed(new Map()))
      : Effect.map(
          send(sql, parameters(wanted)),
          Effect.map(({ rows }) => new Map(rows.map(entry)))
        )

  const byId = <V extends { readonly id: string }>(
    sql: string,
    table: Table<V>,
    type: ColumnType,
    ids: ReadonlyArray<string>
  ) =>
    ask(
      sql,
      ids,
      (some) => [tenant, arrayParameter(type, some)],
      (row) => {
        const record = table.read(row)
        return [record.id, record] as const
      }
    )

  const loading = {
    balances: yield* ask(
      statements.balances,
      [...reads.balances.values()],
      (wanted) => [tenant, texts(wanted.map((one) => one.account)), texts(wanted.map((one) => one.currency))],
      (row) => {
        const balance = balanceTable.read(row)
        return [balanceKey(balance.account, balance.currency), balance] as const
      }
    ),
    idempotencyRecords: yield* ask(
      statements.idempotencyRecords,
      [...reads.idempotencyRecords],
      (keys) => [tenant, texts(keys)],
      (row) => {
        const idempotencyRecord = idempotencyRecordTable.read(row)
        return [idempotencyRecord.key, idempotencyRecord] as const
      }
    ),
    operations: yield* byId(statements.operations, operationTable, uuid, [...reads.operations].filter(isId)),
    addresses: yield* byId(statements.addresses, addressTable, uuid, [...reads.addresses].filter(isId)),
    liveAddresses: yield* ask(
      statements.liveAddresses,
      [...reads.liveAddresses.values()],
      (wanted) => [tenant, texts(wanted.map((one) => one.network)), texts(wanted.map((one) => one.address))],
      liveAddress
    ),
    keyOwners: yield* ask(
      keyStatements.keyOwners,
      [...reads.keyOwners],
      (wanted) => [tenant, texts(wanted)],
      (row) => [Cell.text(row.key_name), keyOwner(row)] as const
    ),
    histories: yield* histories(send, tenant, [...reads.histories]),
    xpubs: yield* byId(keyStatements.xpubs, xpubTable, uuid, [...reads.xpubs].filter(isId)),
    liveXpubs: yield* ask(
      keyStatements.liveXpubs,
      [...reads.liveXpubs],
      (wanted) => [tenant, texts(wanted)],
      (row) => {
        const xpub = xpubTable.read(row)
        return [xpub.network, xpub] as const
      }
    ),
    xpubUses: yield* ask(
      keyStatements.xpubUses,
      [...reads.xpubUses.values()],
      (wanted) => [tenant, texts(wanted.map((one) => one.network)), texts(wanted.map((one) => one.canonical))],
      (row) =>
        [xpubUseKey(Cell.oneOf(networks, row.network), Cell.text(row.canonical)), Cell.int(row.next_index)] as const
    ),
    issuingAccounts: yield* ask(
      keyStatements.issuingAccounts,
      [...reads.issuingAccounts],
      (wanted) => [tenant, texts(wanted)],
      (row) => [Cell.oneOf(keyFamilies, row.family), issuingAccountTable.read(row)] as const
    ),
    newestDeposits: yield* ask(
      keyStatements.newestDeposits,
      [...reads.newestDeposits].filter(isId),
      (wanted) => [tenant, arrayParameter(uuid, wanted)],
      (row) => [Cell.text(row.address_id), Cell.int(row.change_seq)] as const
    ),
    deposits: yield* ask(
      statements.deposits,
      [...reads.deposits.values()],
      (wanted) => [
        tenant,
        texts(wanted.map((one) => one.network)),
        texts(wanted.map((one) => one.txHash)),
        arrayParameter(
          int8,
          wanted.map((one) => BigInt(one.transferIndex))
        )
      ],
      (row) => {
        const deposit = depositTable.read(row)
        return [depositKey(deposit), deposit] as const
      }
    ),
    leases: yield* ask(
      statements.leases,
      [...reads.leases],
      (names) => [texts(names)],
      (row) => [Cell.text(row.name), Cell.int(row.epoch)] as const
    ),
    heights: yield* ask(
      statements.heights,
      [...reads.heights],
      (wanted) => [texts(wanted)],
      (row) => [Cell.oneOf(networks, row.network), Cell.int(row.height)] as const
    ),
    payoutsOff: yield* ask(
      statements.payoutsOff,
      [...reads.payoutsOff],
      (wanted) => [texts(wanted)],
      (row) => [Cell.oneOf(networks, row.network), Cell.flag(row.payouts_off)] as const
    ),
    apiKeys: yield* byId(statements.apiKeys, apiKeyTable, text, [...reads.apiKeys]),
    endpoints: yield* byId(statements.endpoints, endpointTable, uuid, [...reads.endpoints].filter(isId)),
    signingKeys: reads.signingKeys
      ? Effect.map(yield* send(statements.signingKeys, [tenant]), ({ rows }) => rows.map(signingKeyTable.read))
      : Effect.succeed([]),
    nonces: yield* ask(
      statements.nonces,
      [...reads.nonces.values()],
      (wanted) => [tenant, texts(wanted.map((one) => one.keyid)), texts(wanted.map((one) => one.nonce))],
      (row) => {
        const nonce = nonceTable.read(row)
        return [nonceKey(nonce.keyid, nonce.nonce), nonce] as const
      }
    ),
    records: yield* loadRecords(open, tenantId, reads)
  }
  return Effect.all(loading) satisfies Effect.Effect<Omit<Loaded, "head">, SqlError>
})
