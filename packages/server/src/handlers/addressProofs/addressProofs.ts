import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { isProofTimely, proofLifetimeMs, proofMessage } from "@bursar/core/address/proofMessage"
import { proveAddress } from "@bursar/core/incoming/proveAddress"
import { toIso } from "@bursar/core/base/Timestamp"
import { Writer } from "@bursar/core/engine/Writer"
import { adapterOf, Networks } from "@bursar/core/port/Networks"
import { Queries } from "@bursar/core/store/Queries"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { orUnavailable, submit } from "../../refusals.ts"
import { momentOf } from "../../wire/moment.ts"
import { makeFindSubject, type Subject } from "./subject.ts"
import { inCreditingOrder, UnprovenDeposit } from "@bursar/core/deposit/UnprovenDeposit"

/** Deposits that are credited in one commit. */
const creditedAtOnceMax = 200

/** Proofs of addresses. A proof goes on to its end though its client hangs up. */
export const layer = HttpApiBuilder.group(
  PartnerApi,
  "addressProofs",
  Effect.fnUntraced(function* (handlers) {
    const writer = yield* Writer
    const queries = yield* Queries
    const networks = yield* Networks
    const { currencies, serviceName } = yield* ServerConfig
    const findSubject = yield* makeFindSubject

    const messageOf = (tenantId: TenantId, { address, network }: Subject, issuedAt: number) =>
      proofMessage({ serviceName, tenantId, network, address, issuedAt })

    /** Credits what waits, commit by commit, and counts it. */
    const prove = Effect.fnUntraced(function* (
      tenantId: TenantId,
      found: Subject,
      signed: { readonly message: string; readonly signature: string }
    ) {
      let count = 0
      for (;;) {
        const all = yield* orUnavailable(queries.records(tenantId, UnprovenDeposit, found.subject))
        const waiting = inCreditingOrder(all).slice(0, creditedAtOnceMax)
        const command = proveAddress({ ...found, ...signed, waiting }, currencies)
        const { credited, more, proof } = yield* submit(writer, tenantId, command)
        count += credited.length
        if (!more) return { proof, count }
      }
    })

    return handlers.handleAll({
      challenge: ({ payload }) =>
        Effect.gen(function* () {
          const caller = yield* Caller
          const { tenantId } = caller
          const found = yield* findSubject(caller, payload)
          const issuedAt = yield* Clock.currentTimeMillis
          return {
            network: found.network,
            address: found.address,
            xpub_id: found.xpubId,
            message: messageOf(TenantId(tenantId), found, issuedAt),
            format: currencies.networks.of(found.network).messageFormat,
            issued_at: toIso(issuedAt),
            expires_at: toIso(issuedAt + proofLifetimeMs)
          }
        }),
      prove: {
        handler: ({ payload }) =>
          Effect.gen(function* () {
            const caller = yield* Caller
            const tenantId = TenantId(caller.tenantId)
            const found = yield* findSubject(caller, payload)
            const { signature } = payload
            const issuedAt = momentOf(payload.issued_at)
            if (!isProofTimely(issuedAt, yield* Clock.currentTimeMillis)) {
              return yield* apiError("address_proof_invalid", {
                message: "The challenge has expired; request another one."
              })
            }
            const message = messageOf(tenantId, found, issuedAt)
            const { verifyMessage } = adapterOf(networks, found.network).keys
            if (!(yield* verifyMessage(found.address, message, signature))) {
              return yield* apiError("address_proof_invalid")
            }
            const { count, proof } = yield* prove(tenantId, found, { message, signature })
            return {
              network: found.network,
              address: found.address,
              xpub_id: found.xpubId,
              proven_at: toIso(proof.provenAt),
              deposits_credited: count
            }
          }),
        options: { uninterruptible: true }
      }
    })
  })
)
