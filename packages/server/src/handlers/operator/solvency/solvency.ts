import { apiError } from "@bursar/api/errors/ApiError"
import { OperatorApi } from "@bursar/api/OperatorApi"
import { Operator } from "@bursar/api/operator/Operator"
import type { SolvencyStatementIn } from "@bursar/api/operator/OperatorSolvency"
import { unitsMax } from "@bursar/api/solvency/preimages"
import type { Statement } from "@bursar/api/solvency/SolvencySnapshot"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { Networks } from "@bursar/core/port/Networks"
import { AuditSeals } from "@bursar/core/port/AuditSeals"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import { Tenants } from "@bursar/core/port/Tenants"
import { everyTenant } from "@bursar/core/port/TenantList"
import { SolvencyStore, type StoredSnapshot } from "@bursar/core/solvency/SolvencyStore"
import { Clock, Context, Effect, Result, Semaphore, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../../config/ServerConfig.ts"
import { noteAction } from "../../../middleware/actionNotes.ts"
import { orUnavailable, refusalError, writing } from "../../../refusals.ts"
import { parseDocument, readDocument } from "../../../solvency/readDocument.ts"
import { makeTakeSnapshot } from "../../../solvency/takeSnapshot.ts"
import { verifyByWays, waysOfService } from "../../../solvency/verifySignatures.ts"
import { isAudited, storedFindings } from "../../../solvency/verifyStored.ts"
import { amountIn } from "../../../wire/amountIn.ts"
import { keysOrUnavailable } from "../../keysOrUnavailable.ts"
import { leafLine, toWire } from "./toWire.ts"

const options = { uninterruptible: true }

/** Proofs of reserves and liabilities. */
export const layer = HttpApiBuilder.group(
  OperatorApi,
  "solvency",
  Effect.fnUntraced(function* (handlers) {
    const log = Context.pick(OperatorAudit, AuditSeals)(yield* Effect.context<AuditSeals | OperatorAudit>())
    const networks = yield* Networks
    const store = yield* SolvencyStore
    const tenants = yield* Tenants
    const { currencies, serviceName } = yield* ServerConfig
    const take = yield* makeTakeSnapshot({ currencies, serviceName })
    const verifyMessage = verifyByWays(waysOfService(networks, currencies.networks))
    // each reads the ledger of everybody
    const one = yield* Semaphore.make(1)

    const statementIn = Effect.fnUntraced(function* ({ amount, currency, ...statement }: SolvencyStatementIn) {
      const read = amountIn(currencies, { amount, currency })
      if (Result.isFailure(read)) return yield* refusalError(read.failure)
      return { ...statement, currency, units: String(read.success.units) } satisfies Statement
    })

    /** What tells statements apart: who says how much in the file, whatever the file is called. */
    const sayingOf = ({ currency, place, provider, sha256, units }: Statement): string =>
      JSON.stringify([place, provider.trim().toLowerCase(), currency, sha256.toLowerCase(), units])

    const statementsIn = Effect.fnUntraced(function* (given: ReadonlyArray<SolvencyStatementIn>) {
      const statements = yield* Effect.forEach(given, statementIn)
      for (const [first, again] of Map.groupBy(statements, sayingOf).values())
        if (first !== undefined && again !== undefined)
          return yield* apiError("invalid_request", {
            message: `The same statement of ${first.provider} in ${first.currency} is given twice. Where one file states the same amount of several accounts, give their sum once.`
          })
      for (const [currency, all] of Map.groupBy(statements, (statement) => statement.currency))
        if (all.reduce((sum, { units }) => sum + BigInt(units), 0n) > unitsMax)
          return yield* apiError("amount_invalid", {
            message: `The statements in ${currency} come to 2^128 base units or more. A snapshot has no room for that.`
          })
      return statements
    })

    /** Those of SANDBOX are counted unasked only where there are no others: what is live is never left out in silence. */
    const environmentOfAll = Effect.map(orUnavailable(everyTenant(tenants.list)), (all) =>
      all.length > 0 && all.every(({ kind }) => kind === "SANDBOX") ? "SANDBOX" : "LIVE"
    )

    const found = Effect.fnUntraced(function* ({ snapshot_id: id }: { readonly snapshot_id: string }) {
      const stored = yield* orUnavailable(store.byId(id))
      return stored ?? (yield* apiError("not_found"))
    })

    /** A snapshot in a list; nothing where its document cannot be read, which must not hide the others. */
    const listed = (stored: StoredSnapshot) =>
      parseDocument(stored.document).pipe(
        Effect.map((document) => [toWire(stored, document)]),
        Effect.catch(({ message: reason }) =>
          Effect.logError("solvency.unreadable").pipe(
            Effect.annotateLogs({ snapshot: stored.id, reason }),
            Effect.as([])
          )
        )
      )

    return handlers.handleAll({
      take: {
        options,
        handler: Effect.fnUntraced(function* ({ payload: { environment: asked, statements = [] } }) {
          const { name: takenBy } = yield* Operator
          const environment = asked ?? (yield* environmentOfAll)
          const read = yield* statementsIn(statements)
          const taken = take({ environment, statements: read, takenBy }).pipe(
            Effect.catchTag("StorageError", (error) => writing(Effect.fail(error))),
            keysOrUnavailable
          )
          const { document, stored } = yield* one.withPermit(taken)
          return { snapshot: toWire(stored, document), document }
        })
      },
      list: ({ query: { limit = listLimits.operatorLists.default } }) =>
        Effect.gen(function* () {
          const all = yield* orUnavailable(store.list(limit))
          return { snapshots: (yield* Effect.forEach(all, listed)).flat() }
        }),
      document: ({ params }) => Effect.flatMap(found(params), ({ document }) => readDocument(document)),
      leaves: Effect.fnUntraced(function* ({ params }) {
        const { id } = yield* found(params)
        const lines = Stream.map(store.leaves(id), leafLine)
        return HttpServerResponse.stream(Stream.encodeText(Stream.tapError(lines, logStorageError)), {
          contentType: "application/x-ndjson",
          headers: { "content-disposition": `attachment; filename="leaves-${id}.jsonl"` }
        })
      }),
      publish: {
        options,
        handler: Effect.fnUntraced(function* ({ params }) {
          const { name: by } = yield* Operator
          const at = yield* Clock.currentTimeMillis
          // one that cannot be read must be shown to nobody
          const document = yield* readDocument((yield* found(params)).document)
          const stored = yield* writing(store.publish(params.snapshot_id, { at, by }))
          if (stored === undefined) return yield* apiError("not_found")
          yield* noteAction({ document_sha256: document.digest })
          return toWire(stored, document)
        })
      },
      verify: Effect.fnUntraced(function* ({ params }) {
        const document = yield* readDocument((yield* found(params)).document)
        const findings = yield* orUnavailable(storedFindings(document, { store, verifyMessage }))
        const inLog = yield* orUnavailable(Effect.provide(isAudited(document), log))
        const all = [...findings, ...inLog.findings]
        return { ok: inLog.audited && all.length === 0, digest: document.digest, audited: inLog.audited, findings: all }
      })
    })
  })
)
