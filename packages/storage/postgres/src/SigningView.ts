import { StorageError } from "@bursar/core/engine/StorageError"
import { type OpenSignature, SigningView, type TenantProgress } from "@bursar/core/port/SigningView"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import { sharedRead } from "./internal/batched.ts"
import * as Cell from "./internal/cells.ts"
import type { Row } from "./internal/cells.ts"
import { guardOf } from "./table/outboundTransactionTable.ts"

interface Head {
  readonly is_standby: boolean
  readonly change_seq: bigint
  readonly event_id: bigint
  readonly posting_seq: bigint
}

/** What is read where there is no such tenant. */
interface Absent {
  readonly is_standby: boolean
  readonly change_seq: null
}

const isAbsent = <H extends Head>(head: H | Absent): head is Absent => head.change_seq === null

const progressIn = (head: Head): TenantProgress => ({
  changeSeq: head.change_seq,
  eventId: head.event_id,
  postingSeq: head.posting_seq
})

/** A session may still lead to a server that was demoted, and what that lacks proves nothing. */
const noStandby = (doing: string, isStandby: boolean | undefined) =>
  isStandby === true
    ? Effect.fail(new StorageError({ doing, cause: new Error("a standby answered, which may be behind") }))
    : Effect.void

const openSignatureOf = (row: Row): OpenSignature => ({
  key: Cell.text(row.attempt_key),
  tenantId: TenantId(Cell.text(row.tenant_id)),
  network: Cell.text(row.network),
  hash: Cell.text(row.hash),
  raw: Uint8Array.from(Buffer.from(Cell.text(row.raw), "base64")),
  validUntil: Cell.atOrNull(row.valid_until),
  signedAt: Cell.at(row.signed_at),
  guard: guardOf(row),
  from: Cell.text(row.paid_from),
  signatureBases: Cell.json(row.signature_bases)
})

/** What the signer reads of the database beside tenants and keys. Reads alone. */
export const layer = Layer.effect(
  SigningView,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    const reading = "read how far a tenant has come"
    // one row even where there is no such tenant: an absence must come from the primary, too
    const headOf = sharedRead<Head | Absent | undefined>({
      doing: reading,
      none: undefined,
      read: (tenantId) =>
        Effect.map(
          sql<Head | Absent>`select pg_is_in_recovery() as is_standby, h.change_seq, h.event_id, h.posting_seq
            from (select 1) one left join tenant_head h on h.tenant_id = ${tenantId}`,
          ([head]) => head
        )
    })
    const readingAll = "read how far all tenants have come"
    const readingPrimary = "read from the primary alone"
    return SigningView.of({
      progress: (tenantId) =>
        Effect.flatMap(headOf(tenantId), (head) =>
          Effect.as(
            noStandby(reading, head?.is_standby),
            head === undefined || isAbsent(head) ? undefined : progressIn(head)
          )
        ),
      progressOfAll: sql<(Head & { readonly tenant_id: string }) | Absent>`
        select pg_is_in_recovery() as is_standby, h.tenant_id, h.change_seq, h.event_id, h.posting_seq
        from (select 1) one left join tenant_head h on true`.pipe(
        Effect.tap(([first]) => noStandby(readingAll, first?.is_standby)),
        Effect.map(
          (heads) =>
            new Map(
              heads.flatMap((head) => (isAbsent(head) ? [] : [[TenantId(head.tenant_id), progressIn(head)] as const]))
            )
        ),
        attempt(readingAll)
      ),
      onPrimary: (effect) =>
        sql<Pick<Head, "is_standby">>`select pg_is_in_recovery() as is_standby`.pipe(
          Effect.flatMap(([answer]) => noStandby(readingPrimary, answer?.is_standby)),
          Effect.andThen(effect),
          sql.withTransaction,
          attempt(readingPrimary)
        ),
      newestSignatures: (limit) =>
        sql<Row>`select network, hash, signed_at from transaction_attempt
          where pays::text <> '[]' order by signed_at desc limit ${limit}`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              network: Cell.text(row["network"]),
              hash: Cell.text(row["hash"]),
              signedAt: Cell.at(row["signed_at"])
            }))
          ),
          attempt("read the newest signatures")
        ),
      openSignatures: (after, limit) =>
        sql<Row>`select a.attempt_key, a.tenant_id, a.network, a.hash, a.raw, a.valid_until, a.signed_at,
            t.paid_from, t.guard_account, t.guard_sequence, t.guard_utxos,
            (select coalesce(json_agg(o.details->'signature'->>'signature_base'), '[]')
              from json_array_elements_text(a.pays) p
              join operation o on o.tenant_id = a.tenant_id and o.operation_id = p.value::uuid
              where o.details->'signature'->>'signature_base' is not null) as signature_bases
          from transaction_attempt a
          join outbound_transaction t on t.tenant_id = a.tenant_id and t.transaction_id = a.transaction_id
          where t.phase <> 'FINAL' and a.pays::text <> '[]'
            and (${after ?? null}::text is null or a.attempt_key collate "C" > ${after ?? null}::text)
          order by a.attempt_key collate "C" limit ${limit}`.pipe(
          Effect.map((rows) => rows.map(openSignatureOf)),
          attempt("read what was signed and may still take effect")
        ),
      answeredRequests: (after, limit) =>
        sql<Row>`select tenant_id, operation_id, details->'signature'->>'signature_base' as signature_base
          from operation where kind = 'CHAIN_PAYOUT' and provider_reference is not null
          and details->'signature'->>'signature_base' is not null
          and (${after ?? null}::uuid is null or operation_id > ${after ?? null}::uuid)
          order by operation_id limit ${limit}`.pipe(
          Effect.map((rows) =>
            rows.map((row) => ({
              tenantId: TenantId(Cell.text(row["tenant_id"])),
              operationId: Cell.text(row["operation_id"]),
              signatureBase: Cell.text(row["signature_base"])
            }))
          ),
          attempt("read the requests that were signed for")
        )
    })
  })
)
