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

/** What an action that is refused without a grant (`grant_required`) has to be granted. */
export interface WantedGrant {
  /** `fleet`, or the id of a tenant. */
  readonly chain: string
  readonly kind: string
  readonly values: Readonly<Record<string, unknown>>
}

const callersOf = ({ handshake: { operator_token: token } }: Service, name: string) => ({
  token,
  headers: { "x-operator": name }
})

const agree = Effect.fnUntraced(function* (
  { handshake: { grants, operator_url: url } }: Service,
  as: ReturnType<typeof callersOf>,
  { chain, hash, id }: { readonly chain: string; readonly id: string; readonly hash: string }
) {
  if (grants === null) return
  for (const approval of approvalsOf(grants, hash))
    yield* insist("POST", `${url}/operator/v1/grants/chains/${chain}/proposals/${id}/approve`, {
      ...as,
      body: { approval }
    })
})

/** Proposes a grant and has all agree on it who have to. */
export const grantWanted = Effect.fn("fuzz.grantWanted")(function* (
  service: Service,
  { chain, kind, values }: WantedGrant,
  name = "ann"
) {
  const as = callersOf(service, name)
  // a destination is proposed for a moment from now: sooner, and still after its proposal
  const soon = new Date((yield* Clock.currentTimeMillis) + soonMs).toISOString()
  const wanted = kind === "destination" ? { ...values, usable_from: soon } : values
  const { body } = yield* insist(
    "POST",
    `${service.handshake.operator_url}/operator/v1/grants/chains/${chain}/proposals`,
    {
      ...as,
      body: { kind, values: wanted }
    }
  )
  yield* agree(service, as, { chain, id: body.id, hash: body.hash })
})

/** Asks for an operator's action for a tenant and, where several people have to agree on it, has them all agree. */
export const operateFor =
  (service: Service, tenantId: string) =>
  (path: string, body: unknown = {}, name = "ann"): Effect.Effect<Told, NotReady> =>
    Effect.gen(function* () {
      const { grants, operator_url: url } = service.handshake
      const as = callersOf(service, name)
      const told = yield* ask("POST", `${url}/operator/v1/tenants/${tenantId}${path}`, { ...as, body })
      if (told.status < 300) {
        // a key is there at once, and opens nothing before its grant is approved
        const id: unknown = told.body?.proposal_id
        if (typeof id !== "string" || grants === null) return told
        const proposal = `${url}/operator/v1/grants/chains/${tenantId}/proposals/${id}`
        const { body: proposed } = yield* insist("GET", proposal, as)
        yield* agree(service, as, { chain: tenantId, id, hash: proposed.hash })
        return told
      }
      if (told.body?.error?.code !== "grant_required" || grants === null) {
        return yield* new NotReady({ message: `${path}: ${told.status} ${JSON.stringify(told.body)}` })
      }
      yield* grantWanted(service, told.body.error.detail, name)
      return { ...told, status: 200 }
    })
