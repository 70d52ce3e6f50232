import { ApiKey } from "@bursar/core/access/ApiKey"
import { grantHash } from "@bursar/core/grant/grantHash"
import { layer as layerGrants } from "@bursar/core/grant/Grants"
import { layerOver, type State } from "@bursar/memory"
import { type TestApprover, testApprover, testRoot, testTrust } from "@bursar/testkit/fixtures/grants"
import * as SignedRegistrations from "@bursar/vault/SignedRegistrations"
import { Effect, Layer } from "effect"
import { hashToken } from "../../src/keys/operatorTokens.ts"
import { Operator } from "./Operator.ts"
import { type Answer, portsOver, settings } from "./Partner.ts"
import { stored } from "./stored.ts"

/** The status and the code of an error. */
export const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

/** The token of an operator of the tests. */
export const tokenOf = (name: string) => `${name}-${"0123456789abcdef".repeat(2)}`

const operators = [
  { name: "otto", role: "operator" as const, tokenHash: hashToken(tokenOf("otto")), expiresAt: null },
  { name: "anna", role: "approver" as const, tokenHash: hashToken(tokenOf("anna")), expiresAt: null }
]

/** The name of one has a space that new names may not have: what stands in a root is no reason to refuse what follows. */
const people = Effect.map(
  Effect.all([testApprover("ann", 1), testApprover("bob", 2), testApprover("cleo", 3)]),
  ([ann, bob, cleo]) => [ann, bob, { ...cleo, approver: { ...cleo.approver, name: "Cleo\u3000山田" } }] as const
)

/** What the service of the tests verifies grants by. */
export const trust = Effect.runSync(Effect.cached(Effect.map(people, (all) => testTrust(testRoot(all, 2)))))

const withGrants = (ports: typeof portsOver) => (state: State) => {
  const grants = Layer.unwrap(Effect.map(trust, layerGrants)).pipe(Layer.provide(layerOver(state)))
  return Layer.mergeAll(ports(state), grants, SignedRegistrations.layer(settings))
}

/** Both servers with a root of three approvers, two of whom are a quorum, over ports that differ from the usual ones. */
export const layerGrantedOver = (ports: typeof portsOver) => Operator.layerWith({ operators }, withGrants(ports))

/** Both servers with a root of three approvers, two of whom are a quorum. */
export const layerGranted = layerGrantedOver(portsOver)

/** A tenant with an API key, three approvers, and two operators who pass on what they say. */
export const setUp = Effect.gen(function* () {
  const { operate, seeder, state } = yield* Operator
  const tenant = yield* seeder.tenant()
  yield* seeder.key(tenant)
  const [known] = stored(state, tenant, ApiKey).values()
  if (known !== undefined) stored(state, tenant, ApiKey).set("AAAAAAAA", { ...known, id: "AAAAAAAA" })
  const [ann, bob, cleo] = yield* people
  const as = (name: string, method: string, path: string, body?: unknown) =>
    operate(method, `/operator/v1/grants${path}`, { key: tokenOf(name), ...(body === undefined ? {} : { body }) })
  const propose = (body: unknown, chain: string = tenant) => as("otto", "POST", `/chains/${chain}/proposals`, body)
  /** Signs what is shown of a proposal, as a person who looks at it. */
  const signed = Effect.fnUntraced(function* ({ body }: Answer, by: TestApprover) {
    return { approval: yield* by.sign(yield* grantHash(body.document)) }
  })
  const approve = Effect.fnUntraced(function* (proposal: Answer, by: TestApprover, name = "anna") {
    const { chain, id } = proposal.body
    return yield* as(name, "POST", `/chains/${chain}/proposals/${id}/approve`, yield* signed(proposal, by))
  })
  return { ann, bob, cleo, as, propose, approve, signed, tenant, state }
})
