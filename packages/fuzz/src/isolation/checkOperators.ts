import { operatorOpenApiDocument } from "@bursar/api/openapi/openApiDocument"
import { makeRandom } from "@bursar/simulation/kernel/Random"
import { Effect } from "effect"
import { type Contract, type Operation, readContract } from "../contract/Contract.ts"
import type { Kind } from "../generate/Known.ts"
import { strangeId, valueOf } from "../generate/values.ts"
import { ask, insist } from "../service/ask.ts"
import { operateFor } from "../service/operate.ts"
import type { Service } from "../service/service.ts"
import type { IsolationReport } from "./checkIsolation.ts"
import type { Furnished } from "./furnish.ts"

/** The parameters of operators that name what a partner knows as well. */
const knownToPartner: Readonly<Record<string, Kind>> = {
  account_id: "account",
  address_id: "address",
  customer_id: "customer",
  operation_id: "operation",
  payout_id: "payout"
}

/** Where operators read the other records that a parameter names, and under which name their id stands there. */
const readAt: Readonly<Record<string, readonly [path: string, field: string]>> = {
  destination_id: ["destinations", "id"],
  fee_rule_id: ["fee-rules", "id"],
  key_id: ["keys", "id"],
  keyid: ["signing-keys", "keyid"],
  wallet_id: ["wallets", "id"],
  webhook_id: ["webhooks", "id"]
}

/**
 * Parameters that name no record of one tenant, and those that stand behind one that is checked. Where grants rule, an adjustment is
 * one of them, and none waits to be approved. No address of these tenants is swept, and no past of one is still being read.
 */
const notNames: ReadonlySet<string> = new Set([
  "tenant_id",
  "period",
  "resolution_id",
  "adjustment_id",
  "sweep_id",
  "scan_id"
])

const random = makeRandom(9)

const parametersOf = ({ path }: Operation): ReadonlyArray<string> =>
  Array.from(path.matchAll(/\{(\w+)\}/gu), ([, name]) => name ?? "").filter((name) => !notNames.has(name))

/** What an endpoint has to be asked with, where it answers nothing without. */
const queriesOf = ({ method, name, parameters, path }: Operation): ReadonlyArray<string> | undefined => {
  if (method !== "GET" || path.split("{").length > 2) return []
  const required = parameters.filter((one) => one.in === "query" && one.required === true)
  if (required.length === 0) return [""]
  if (name.endsWith("/export"))
    return required.flatMap(({ schema }) => schema.enum ?? []).map((one) => `?format=${String(one)}`)
  if (name.endsWith("/series/balances")) return ["?span=day"]
  return name.endsWith("/fee-simulation") ? ["?product=SWAP&currency=ETH&amount=1"] : undefined
}

const withoutIds = (body: unknown, id: string): string =>
  JSON.stringify(body, (key, value: unknown) => (key === "request_id" ? undefined : value)).replaceAll(id, "{id}")

/** Records that operators make for a tenant, so that there is one of every kind. */
const prepare = Effect.fnUntraced(function* (
  operate: (path: string, body: unknown) => Effect.Effect<unknown, unknown>
) {
  yield* operate("fee-rules", { product: "SWAP", percent: "1", minimum_fee: "0", priority: 900 })
})

const checkOperation = Effect.fnUntraced(function* (
  contract: Contract,
  operation: Operation,
  {
    foreign,
    name,
    token,
    url
  }: { readonly foreign: string; readonly name: string; readonly token: string; readonly url: string }
) {
  const unknown = name === "key_id" ? "zzzzzzzz" : name === "keyid" ? "z".repeat(43) : strangeId(random)
  const source = { random, unique: "isolation", wrap: () => "", id: () => strangeId(random) }
  const body = operation.body === null ? undefined : valueOf(contract, operation.body, source)
  const send = (id: string) =>
    Effect.map(
      ask(
        operation.method,
        `${url}${operation.path}`.replace(`{${name}}`, id).replaceAll(/\{\w+\}/gu, strangeId(random)),
        {
          token,
          headers: { "x-operator": "ann" },
          ...(body === undefined ? {} : { body })
        }
      ),
      (told) => `${told.status} ${withoutIds(told.body, id)}`
    )
  const [none, another] = [yield* send(unknown), yield* send(foreign)]
  return none === another
    ? []
    : [`${operation.name} ${name}: another tenant's is answered ${another}, what never was ${none}`]
})

/** Checks that what operators do in the name of one tenant reaches no record of another, and tells nothing of it. */
export const checkOperators = Effect.fn("fuzz.checkOperators")(function* (
  service: Service,
  own: Furnished,
  other: Furnished
) {
  const { handshake } = service
  const contract = readContract(operatorOpenApiDocument())
  const token = handshake.operator_token
  const at = (id: string, path: string) => `${handshake.operator_url}/operator/v1/tenants/${id}/${path}`
  const { id, known } = other.caller.partner
  const operate = operateFor(service, id)
  yield* prepare((path, body) => operate(`/${path}`, body))
  const foreignOf = Effect.fnUntraced(function* (name: string) {
    const kind = knownToPartner[name]
    if (kind !== undefined) return [...known.all(kind)][0]
    const [path, field] = readAt[name] ?? []
    if (path === undefined) return undefined
    const { body } = yield* insist("GET", at(id, path), { token })
    return new RegExp(`"${field}":"([^"]+)"`, "u").exec(JSON.stringify(body))?.[1]
  })
  const wrong: Array<string> = []
  let cases = 0
  const ofTenants = contract.operations.filter(({ path }) => path.includes("/{tenant_id}"))
  for (const one of ofTenants) {
    const operation = { ...one, path: one.path.replace("{tenant_id}", own.caller.partner.id) }
    const [name] = parametersOf(operation)
    if (name === undefined) continue
    cases += 1
    const foreign = yield* foreignOf(name)
    if (foreign === undefined)
      wrong.push(`${one.name}: there is no ${name} of another tenant; say where in checkOperators.ts`)
    else
      wrong.push(...(yield* checkOperation(contract, operation, { foreign, name, token, url: handshake.operator_url })))
  }
  for (const operation of ofTenants) {
    const queries = queriesOf(operation)
    if (queries === undefined) wrong.push(`${operation.name}: nobody knows how to ask; say so in checkOperators.ts`)
    for (const query of queries ?? []) {
      cases += 1
      const path = operation.path.replace("{tenant_id}", own.caller.partner.id)
      const { body, status } = yield* ask("GET", `${handshake.operator_url}${path}${query}`, { token })
      if (status >= 300) wrong.push(`${operation.name}${query}: ${status} ${JSON.stringify(body)}`)
      const text = typeof body === "string" ? body : JSON.stringify(body ?? null)
      const named = other.texts.filter((one) => text.includes(one))
      if (named.length > 0) wrong.push(`${operation.name}${query} names ${named.join(", ")} of another tenant`)
    }
  }
  const report: IsolationReport = { cases, wrong }
  return report
})
