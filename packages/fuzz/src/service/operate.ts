import type { HandshakeGrants } from "@bursar/cli/config/Handshake"
import { approvalText } from "@bursar/core/grant/grantHash"
import { Clock, Effect } from "effect"
import { createPrivateKey, createPublicKey, sign } from "node:crypto"
import { readFileSync } from "node:fs"
import { ask, insist, NotReady, type Told } from "./ask.ts"
import type { Service } from "./service.ts"

/** The words of the demo's approvers for a grant: their keys lie beside the service. */
const approvalsOf = ({ approvers, passphrase_file }: HandshakeGrants, hash: string) =>
  approvers.map(({ key_file }) => {
    const passphrase = readFileSync(passphrase_file, "utf8").trim()
    const key = createPrivateKey({ key: readFileSync(key_file, "utf8"), passphrase })
    return {
      type: "ed25519",
      key: createPublicKey(key).export({ format: "jwk" }).x,
      signature: sign(null, Buffer.from(approvalText(hash)), key).toString("base64url")
    }
  })

const soonMs = 3_000

/** Asks for an operator's action for a tenant and, where several people have to agree on it, has them all agree. */
export const operateFor =
  ({ handshake }: Service, tenantId: string) =>
  (path: string, body: unknown = {}, name = "ann"): Effect.Effect<Told, NotReady> =>
    Effect.gen(function* () {
      const as = { token: handshake.operator_token, headers: { "x-operator": name } }
      const at = `${handshake.operator_url}/operator/v1`
      const told = yield* ask("POST", `${at}/tenants/${tenantId}${path}`, { ...as, body })
      const { grants } = handshake
      const proposals = `${at}/grants/chains/${tenantId}/proposals`
      const agree = Effect.fnUntraced(function* (to: HandshakeGrants, id: string, hash: string) {
        for (const approval of approvalsOf(to, hash))
          yield* insist("POST", `${proposals}/${id}/approve`, { ...as, body: { approval } })
      })
      if (told.status < 300) {
        // a key is there at once, and opens nothing before its grant is approved
        const id: unknown = told.body?.proposal_id
        if (typeof id !== "string" || grants === null) return told
        yield* agree(grants, id, (yield* insist("GET", `${proposals}/${id}`, as)).body.hash)
        return told
      }
      if (told.body?.error?.code !== "grant_required" || grants === null) {
        return yield* new NotReady({ message: `${path}: ${told.status} ${JSON.stringify(told.body)}` })
      }
      const { kind, values } = told.body.error.detail
      // a destination is proposed for a minute from now: sooner, and still after its proposal
      const soon = new Date((yield* Clock.currentTimeMillis) + soonMs).toISOString()
      const wanted = kind === "destination" ? { ...values, usable_from: soon } : values
      const proposed = yield* insist("POST", proposals, { ...as, body: { kind, values: wanted } })
      yield* agree(grants, proposed.body.id, proposed.body.hash)
      return { ...told, status: 200 }
    })
