import { SigningView } from "@bursar/core/port/SigningView"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { Connection } from "./Connection.ts"
import { attempt } from "./internal/attempt.ts"
import * as Cell from "./internal/cells.ts"
import type { Row } from "./internal/cells.ts"
import { isId } from "./internal/ids.ts"

/** What the signer reads of the database beside tenants and keys. Reads alone. */
export const layer = Layer.effect(
  SigningView,
  Effect.gen(function* () {
    const { sql } = yield* Connection
    return SigningView.of({
      progress: (tenantId) =>
        !isId(tenantId)
          ? Effect.succeed(undefined)
          : sql<{ readonly change_seq: bigint; readonly event_id: bigint; readonly posting_seq: bigint }>`
              select change_seq, event_id, posting_seq from tenant_head where tenant_id = ${tenantId}`.pipe(
              Effect.map(([head]) =>
                head === undefined
                  ? undefined
                  : { changeSeq: head.change_seq, eventId: head.event_id, postingSeq: head.posting_seq }
              ),
              attempt("read how far a tenant has come")
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
