import { makeRandom, type Random } from "@bursar/simulation/kernel/Random"
import type { Contract } from "../contract/Contract.ts"
import { ask } from "../generate/ask.ts"
import type { Source } from "../generate/Asked.ts"
import { breakDraft } from "../generate/breakDraft.ts"
import { allowanceOf, toBytes } from "../generate/Draft.ts"
import type { Known } from "../generate/Known.ts"
import { strangeId } from "../generate/values.ts"
import type { Partner } from "../service/people.ts"
import type { Call } from "./Call.ts"
import { bodyOf, drawOperation, drawPlan, freshDraft, localAddress } from "./freshDraft.ts"

/** What calls of operators are made of. */
export interface OperatorSetting {
  /** The contract of the operators' interface (`endingOperations`). */
  readonly contract: Contract
  /** The tenants for which operators act. */
  readonly tenants: readonly [Partner, Partner]
  /** What is known of records that no tenant has. */
  readonly house: Known
  readonly token: string
  readonly url: string
  readonly seed: number
}

/** What is done to a call, and how often in a thousand. */
const plans = [
  ["nothing", 560],
  ["body", 180],
  ["draft", 220],
  ["stranger", 40]
] as const

const people = ["ann", "bob", "eve"] as const

/** How many of a thousand calls for a tenant are for another than the two that are known. */
const otherTenants = 60

const sourceOf = (
  { house, tenants }: OperatorSetting,
  own: Partner,
  random: Random,
  unique: string,
  plan: string
): Source => {
  const other = tenants[0] === own ? tenants[1] : tenants[0]
  return {
    random,
    unique,
    wrap: own.wrap,
    id: (kind) => {
      const [mine, theirs, ours] = [own, other]
        .map(({ known }) => known.pick(kind, random))
        .concat(house.pick(kind, random))
      const [unknown, strange] = [strangeId(random), random.chance(30)]
      if (kind === "tenant") return random.chance(otherTenants) ? (ours ?? unknown) : own.id
      return (plan === "stranger" ? theirs : strange ? unknown : (mine ?? ours)) ?? unknown
    }
  }
}

/** The call of a number by an operator: the same for the same seed, but for ids, which the service chooses. */
export const buildOperatorCall = (setting: OperatorSetting, index: number): Call => {
  const { contract, house, seed, tenants, token, url } = setting
  const random = makeRandom(seed).for(`operator call ${index}`)
  const own = random.pick(tenants)
  const operation = drawOperation(contract, random)
  const plan = drawPlan(plans, random)
  const unique = `fuzz-${seed}-${index}`
  const asked = ask(contract, operation, sourceOf(setting, own, random.for("ids"), unique, plan))
  const body = bodyOf(asked, plan === "body" && operation.body !== null, random.for("body"))
  const caller = random.pick(people)
  const headers = [
    ["authorization", `Bearer ${token}`],
    ["x-operator", caller]
  ] as const
  const draft = freshDraft({ headers, index, operation, url }, asked, body.bytes)
  const change = plan === "draft" ? breakDraft(draft, random.for("draft")) : { draft, what: plan }
  const isForTenant = asked.path["tenant_id"] === own.id
  const isForeign = (id: string) => tenants.some((one) => one !== own && one.known.has(id)) && !own.known.has(id)
  return {
    index,
    operation,
    caller,
    known: isForTenant ? own.known : house,
    what: plan === "body" ? body.what : plan === "nothing" ? "" : change.what,
    stranger: isForTenant && Object.values(asked.path).some(isForeign),
    draft: { ...change.draft, allows: allowanceOf(change.draft) },
    bytes: toBytes(change.draft),
    from: localAddress(random),
    unique
  }
}
