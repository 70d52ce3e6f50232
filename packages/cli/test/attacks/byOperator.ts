import { generateSigningKey } from "@bursar/client/effect"
import { testApprover } from "@bursar/testkit/fixtures/grants"
import { Effect } from "effect"
import { getAddress } from "viem"
import { bursar } from "../support/bursar.ts"
import { type Answer, expectAnswer, send, signed } from "../support/calls.ts"
import { environmentFor } from "../support/environmentFor.ts"
import { freshAddress } from "../support/payer.ts"
import { soon } from "../support/until.ts"
import { secrets } from "../support/world.ts"
import { type Attack, type Attacker, stole } from "./Attack.ts"
import { type Attacked, payoutTo } from "./AttackedService.ts"
import { whileHeld } from "./heldPayout.ts"

/** What the log of operators' actions has of this operator: the newest action on a route, and how it ended. */
const written = ({ operator }: Attacked, route: string, status: number, name = "mallory") =>
  Effect.map(
    soon(`${route} is in the audit log`, operator.audit.list({ query: { operator: name, limit: 50 } }), ({ entries }) =>
      entries.some((entry) => entry.route.endsWith(route) && entry.status === status)
    ),
    ({ entries }) => {
      const { method, route: whole } = entries.find((entry) => entry.route.endsWith(route)) ?? { method: "", route }
      return `audit log: ${name}, ${method} ${whole}: ${status}`
    }
  )

/** Tries to give a proposal every approval alone. Dies if that makes it a grant. */
const approvedAlone = Effect.fnUntraced(function* (attacked: Attacked, proposalId: string) {
  const { approvers, asMallory, operator, victim } = attacked
  const at = { chain: victim.id, proposal_id: proposalId }
  const proposals = `/grants/chains/${victim.id}/proposals`
  const proposal = yield* operator.grants.show({ params: at })
  const [, , own] = approvers
  if (own === undefined) return yield* Effect.die(new Error("she is no approver"))
  const approve = (approval: unknown) => send(asMallory(`${proposals}/${proposal.id}/approve`, { approval }))
  // she is one of the approvers, and one of two that it takes
  const approval = yield* own.sign(proposal.hash)
  const invented = yield* (yield* testApprover("bob", 9)).sign(proposal.hash)
  const answers = [yield* approve(approval), yield* approve(approval), yield* approve(invented)]
  const append = { document: proposal.document, approvals: [approval, approval] }
  answers.push(yield* send(asMallory(`/grants/chains/${victim.id}/entries`, append)))
  const statuses = answers.map(({ status }) => status)
  if (statuses[0] !== 200 || answers[0]?.body.state !== "OPEN" || statuses.slice(1).some((status) => status < 400))
    return yield* Effect.die(
      new Error(`one person has granted it: ${JSON.stringify(answers.map(({ body: one }) => one))}`)
    )
  const { state } = yield* operator.grants.show({ params: at })
  if (state !== "OPEN") return yield* Effect.die(new Error(`it is ${state}`))
  yield* operator.grants.reject({ params: at, payload: { reason: "Nobody has asked for it." } })
  return undefined
})

/** Proposes the grant that a call was refused for, and tries to give it every approval alone. */
const alone = Effect.fnUntraced(function* (attacked: Attacked, { body }: Answer) {
  const { kind, values } = body.error.detail
  const proposals = `/grants/chains/${attacked.victim.id}/proposals`
  const { body: proposal } = yield* expectAnswer(attacked.asMallory(proposals, { kind, values }), 201)
  return yield* approvedAlone(attacked, proposal.id)
})

const destination: Attack = {
  title: "proposes a destination of her own for withdrawals, and approves it",
  prepare: (attacked) =>
    Effect.sync(() => {
      const { asMallory, operator, victim } = attacked
      return Effect.gen(function* () {
        const asked = { currency: "USDT_ETH", address: freshAddress(), label: "Treasury" }
        const call = asMallory(`/tenants/${victim.id}/destinations`, asked)
        yield* alone(attacked, yield* expectAnswer(call, 409, "grant_required"))
        const { destinations } = yield* operator.custody.destinations({ params: { tenant_id: victim.id } })
        if (destinations.some(({ address }) => address.toLowerCase() === asked.address))
          return yield* Effect.die(new Error("it is a destination"))
        return yield* written(attacked, "/destinations", 409)
      })
    })
}

const limits: Attack = {
  title: "lifts the limits of a tenant, and what it has to sign",
  prepare: (attacked) =>
    Effect.sync(() => {
      const { asMallory, operator, victim } = attacked
      const policy = Effect.map(operator.tenants.get({ params: { tenant_id: victim.id } }), JSON.stringify)
      return Effect.gen(function* () {
        const before = yield* policy
        const call = asMallory(`/tenants/${victim.id}/settings`, {
          withdrawal_limit_usd: "1000000",
          withdrawal_review_usd: null,
          signatures_required: []
        })
        yield* alone(attacked, yield* expectAnswer(call, 409, "grant_required"))
        if ((yield* policy) !== before) return yield* Effect.die(new Error("the settings have changed"))
        return yield* written(attacked, "/settings", 409)
      })
    })
}

const review: Attack = {
  title: "approves a payout that was held for people to look at",
  prepare: (attacked) =>
    Effect.succeed(
      whileHeld(attacked, ({ payout: { id }, to }) =>
        Effect.gen(function* () {
          const { asMallory, queries, victim } = attacked
          const root = `/tenants/${victim.id}`
          yield* alone(
            attacked,
            yield* expectAnswer(asMallory(`${root}/reviews/${id}/approve`, {}), 409, "grant_required")
          )
          yield* expectAnswer(asMallory(`${root}/payouts/${id}/approve`, {}), 409, "grant_required")
          const { status } = (yield* queries.operation(victim.id, id)) ?? {}
          if (status !== "IN_REVIEW") return yield* Effect.die(new Error(`it is ${status}`))
          yield* stole(attacked, [to])
          return yield* written(attacked, "/reviews/:operation_id/approve", 409)
        })
      )
    )
}

const signingKey: Attack = {
  title: "makes an API key with a signing key of her own, and asks for a payout",
  prepare: (attacked) =>
    Effect.sync(() => {
      const { asMallory, victim } = attacked
      return Effect.gen(function* () {
        const root = `/tenants/${victim.id}`
        const scopes = ["chain_payouts:write"]
        const { body: made } = yield* expectAnswer(asMallory(`${root}/keys`, { label: "own", scopes }), 201)
        yield* approvedAlone(attacked, made.proposal_id)
        const { privateJwk, publicJwk } = yield* generateSigningKey
        const call = asMallory(`${root}/signing-keys`, { api_key_id: victim.apiKeyId, public_jwk: publicJwk })
        yield* alone(attacked, yield* expectAnswer(call, 409, "grant_required"))
        const thief = freshAddress()
        const { headers, ...payout } = victim.call("/v1/chain-payouts", payoutTo(thief))
        const own = { ...payout, headers: { ...headers, authorization: `Bearer ${made.key}` } }
        yield* expectAnswer(yield* signed(own, privateJwk), 401, "key_invalid")
        yield* stole(attacked, [thief])
        return yield* written(attacked, "/signing-keys", 409)
      })
    })
}

const adjustment: Attack = {
  title: "credits a tenant with money that nobody has paid",
  prepare: (attacked) =>
    Effect.sync(() => {
      const { asMallory, victim } = attacked
      return Effect.gen(function* () {
        const amount = { currency: "USDT_ETH", amount: "20000" }
        const call = asMallory(`/tenants/${victim.id}/float-adjustments`, {
          ...amount,
          against: "custodian",
          reason: "Paid in."
        })
        yield* alone(attacked, yield* expectAnswer(call, 409, "grant_required"))
        return yield* written(attacked, "/float-adjustments", 409)
      })
    })
}

const secondPerson: Attack = {
  title: "acts as a second person, with her own token or with one that people once shared",
  prepare: (attacked) =>
    Effect.sync(() => {
      const { alarm, asMallory, env, victim } = attacked
      return Effect.gen(function* () {
        const asked = { reason: "I am somebody else." }
        const path = `/tenants/${victim.id}/destinations/${crypto.randomUUID()}/reject`
        yield* expectAnswer(asMallory(path, asked, { "x-operator": "olga" }), 422, "invalid_request")
        const shared = { authorization: `Bearer ${secrets.OPERATOR_TOKEN}`, "x-operator": "olga" }
        yield* expectAnswer(asMallory(path, asked, shared), 401, "key_invalid")
        // nor does a service start that has both
        const both = environmentFor("serve", { ...env, OPERATOR_TOKEN: secrets.OPERATOR_TOKEN })
        const { code, stderr } = yield* bursar(["serve"], { env: both })
        if (code === 0 || !stderr.includes("OPERATOR_TOKEN"))
          return yield* Effect.die(new Error(`it starts: ${stderr}`))
        yield* alarm("server", "operator.sign_in_refused", "is not valid")
        return yield* alarm("server", "operator.sign_in_refused", "names somebody else")
      })
    })
}

const revived: Attack = {
  title: "rejects a destination, so that the one before it receives again",
  prepare: (attacked) =>
    Effect.gen(function* () {
      const { asMallory, grant, operator, victim } = attacked
      const params = { tenant_id: victim.id }
      const begun = Date.now()
      const [older, newer] = [crypto.randomUUID(), crypto.randomUUID()]
      const seen = { currency: "USDT_ETH", address: getAddress(freshAddress()) }
      for (const [id, waitsMs] of [
        [older, 1_000],
        [newer, 1_500]
      ] as const)
        yield* grant(victim.id, "destination", {
          id,
          ...(id === older ? seen : { ...seen, address: getAddress(freshAddress()) }),
          network: "ethereum",
          memo: null,
          label: "Treasury",
          usable_from: new Date(begun + waitsMs).toISOString(),
          state: "ACTIVE"
        })
      const states = Effect.map(operator.custody.destinations({ params }), ({ destinations }) =>
        [older, newer].map((wanted) => destinations.find(({ id }) => id === wanted)?.state).join(" ")
      )
      yield* soon("the newer one receives", states, (now) => now === "REPLACED RECEIVING")
      return Effect.gen(function* () {
        const root = `/tenants/${victim.id}/destinations`
        yield* expectAnswer(asMallory(`${root}/${newer}/reject`, { reason: "A mistake." }), 200)
        yield* expectAnswer(asMallory(`${root}/${older}/verify`, seen), 409, "grant_required")
        const now = yield* states
        if (now.includes("RECEIVING")) return yield* Effect.die(new Error(`one receives: ${now}`))
        return yield* written(attacked, "/reject", 200)
      })
    })
}

/** One operator who is an administrator, and one of three approvers. */
export const byOperator: Attacker = {
  attacker: "one operator who is an approver too",
  writes: false,
  attacks: [destination, limits, review, signingKey, adjustment, secondPerson, revived]
}
