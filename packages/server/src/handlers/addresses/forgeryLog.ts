import { RandomBytes, uuidV7 } from "@bursar/core/engine/Ids"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { type AddressForged, ForgeryLog } from "@bursar/core/granting/ShownAddresses"
import { OperatorAudit } from "@bursar/core/port/OperatorAudit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Clock, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { CurrentRequest } from "../../http/CurrentRequest.ts"
import { valuesText } from "../../middleware/actionValues.ts"

/** The method and the name of the record of a forged address, which nobody has asked for. */
const method = "ALARM"

const route = "address.forged"

/** Who stands in the record; no operator can be called so. */
const service = "(service)"

/** For how long a forgery that was written down is not written down again by the same process: partners ask again and again. */
const repeatedMs = 3_600_000

/** How many forgeries are remembered; the log of operators' actions gets no more in that time, either. */
const rememberedMax = 1_000

const noBody = createHash("sha256").update("").digest("hex")

/**
 * Writes a forged address into the log of operators' actions, which is sealed and anchored: whoever changed the row, and takes that back later, does
 * not take back the record. It stands without a record where the storage cannot be written.
 */
export const layer = Layer.effect(
  ForgeryLog,
  Effect.gen(function* () {
    const [audit, randomBytes] = [yield* OperatorAudit, yield* RandomBytes]
    const written = new Map<string, number>()

    const isNew = (name: string, at: number): boolean => {
      for (const [one, since] of written) if (at - since >= repeatedMs) written.delete(one)
      if (written.has(name) || written.size >= rememberedMax) return false
      written.set(name, at)
      return true
    }

    return Effect.fn("addresses.writeForgery")(function* (
      tenantId: TenantId,
      { address, network, reason }: AddressForged
    ) {
      const at = yield* Clock.currentTimeMillis
      const forged = { tenant_id: tenantId, network, address, reason }
      const name = JSON.stringify(forged)
      if (!isNew(name, at)) return
      const { clientAddress, id } = yield* CurrentRequest
      const record = {
        actionId: uuidV7(at, randomBytes(10)),
        at,
        operator: service,
        role: "none",
        method,
        route,
        params: { tenant_id: tenantId },
        status: 503,
        requestId: id,
        address: clientAddress,
        content: { digest: noBody, values: valuesText({ forged }) }
      }
      yield* Effect.catchTag(audit.append(record), "StorageError", (error) => {
        written.delete(name)
        return logStorageError(error)
      })
    })
  })
)
