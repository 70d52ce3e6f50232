import type { CheckState, IdentityProvider } from "@bursar/core/port/IdentityProvider"
import { ProviderError } from "@bursar/core/port/ProviderError"
import { done, unknown } from "@bursar/core/port/ProviderResult"
import { Effect } from "effect"
import type { Random } from "../kernel/Random.ts"
import type { Faults } from "./Faults.ts"
import { type Hints, readHint } from "./Hints.ts"
import type { AskNode } from "./WorldNetwork.ts"

/** What the verifier came to, and when. */
interface Decision {
  readonly at: number
  readonly status: CheckState["status"]
}

/** Somebody whose identity is checked. */
export interface Applicant {
  readonly id: string
  readonly customerId: string
  readonly decisions: ReadonlyArray<Decision>
}

/** Who checks identities, as it truly is. */
export interface Verifier {
  /** When somebody was approved for the first time; undefined for whom nobody has checked. */
  readonly approvedAt: (customerId: string) => number | undefined
  /** The verifier as a process reaches it. */
  readonly reachedBy: (ask: AskNode) => IdentityProvider["Service"]
}

/** How a verifier differs from others. */
export interface VerifierOptions {
  readonly random: Random
  readonly faults: Faults
  readonly now: () => number
  readonly hints: Hints
}

/** A decision may be told as late as that. Its webhook comes after it. */
const lagMs = 2_000

/** What an approval grants. */
const capabilities = ["fiat_accounts", "payouts", "swaps"]

/** A verifier that approves everybody in the end, and takes its word back for a while. */
export const makeVerifier = ({ faults, hints, now, random }: VerifierOptions): Verifier => {
  const applicants = new Map<string, Applicant>()

  const decide = (): ReadonlyArray<Decision> => {
    const opened = now()
    const first = opened + 1_000 + random.below(25_000)
    const rejected: Decision = { at: first + 5_000 + random.below(30_000), status: "REJECTED" }
    const takenBack = faults.strikes("verifier.takes_back")
    const again: Decision = { at: rejected.at + 3_000 + random.below(30_000), status: "APPROVED" }
    const looked: ReadonlyArray<Decision> = random.chance(300)
      ? [{ at: opened + random.below(1_000), status: "IN_REVIEW" }]
      : []
    return [
      { at: opened, status: "PENDING" },
      ...looked,
      { at: first, status: "APPROVED" },
      ...(takenBack ? [rejected, again] : [])
    ]
  }

  const open = (customerId: string) => {
    const known = [...applicants.values()].find((one) => one.customerId === customerId)
    if (known !== undefined) return known
    const applicant: Applicant = { id: `applicant-${customerId}`, customerId, decisions: decide() }
    applicants.set(applicant.id, applicant)
    for (const { at } of applicant.decisions)
      hints.tell("verifier", { what: "applicant", about: applicant.id }, at - now() + lagMs)
    return applicant
  }

  /** What it says of somebody: while a decision is fresh it may say what came before it. */
  const stateOf = ({ decisions }: Applicant): CheckState => {
    const made = decisions.filter(({ at }) => at <= now())
    const fresh = (made.at(-1)?.at ?? 0) + lagMs > now()
    const { at, status } = made.at(fresh && faults.strikes("verifier.tells_earlier") ? -2 : -1) ??
      made[0] ?? { at: now(), status: "PENDING" as const }
    return {
      status,
      capabilities: status === "APPROVED" ? capabilities : [],
      expiresAt: null,
      environment: "sandbox",
      decidedAt: at
    }
  }

  return {
    approvedAt: (customerId) =>
      applicants.get(`applicant-${customerId}`)?.decisions.find(({ status }) => status === "APPROVED")?.at,
    reachedBy: (ask) => ({
      name: "verifier",
      environment: "SANDBOX",
      open: ({ customerId }) =>
        ask(
          "verify",
          Effect.sync(() => {
            if (faults.strikes("verifier.lost")) return unknown("no answer within 30 s")
            const applicant = open(customerId)
            const newlyCreated = applicant.decisions[0]?.at === now()
            const opened = { applicantId: applicant.id, newlyCreated, url: null, urlExpiresAt: null }
            return faults.strikes("verifier.unheard")
              ? unknown("no answer within 30 s")
              : done({ ...opened, status: stateOf(applicant).status })
          })
        ),
      state: (id) =>
        ask(
          "verified",
          Effect.suspend(() => {
            const applicant = applicants.get(id)
            return applicant === undefined || faults.strikes("verifier.unreadable")
              ? Effect.fail(new ProviderError({ provider: "verifier", doing: "read a check", detail: "503" }))
              : Effect.succeed(stateOf(applicant))
          })
        ),
      readHint
    })
  }
}
