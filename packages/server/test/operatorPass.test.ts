import type { Operator } from "@bursar/api/operator/Operator"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { ServerSettings } from "../src/config/ServerConfig.ts"
import { hashToken } from "../src/keys/operatorTokens.ts"
import { makePass, operatorOfPass } from "../src/middleware/operatorPass.ts"
import { settings } from "./support/Partner.ts"

const now = Date.parse("2026-01-02T10:00:00Z")

const minutes = (count: number): number => count * 60_000

/** The settings of a service whose one operator has a token with an end. */
const whereTokenEnds = (expiresAt: number | null): ServerSettings => ({
  ...settings,
  operators: [{ name: "ada", role: "admin", tokenHash: hashToken("t"), expiresAt }]
})

const ada = (expiresAt: number | null): Operator["Service"] => ({
  ...{ name: "ada", role: "admin", credential: "token" },
  expiresAt
})

const made = (of: ServerSettings, asked: Parameters<typeof makePass>[1]) => Result.getOrThrow(makePass(of, asked)).pass

/** The session that a link begins, which is used after a while. */
const sessionByLink = (of: ServerSettings, operator: Operator["Service"], after = minutes(1)) => {
  const link = made(of, { kind: "LINK", now, operator })
  const entered = Result.getOrThrow(operatorOfPass(of, link, { kind: "LINK", now: now + after }))
  return made(of, { kind: "SESSION", now: now + after, operator: entered })
}

describe("a pass of an operator", () => {
  it("ends with the token that it stands on, when the configuration gives that an end", () => {
    const pass = made(whereTokenEnds(null), { kind: "SESSION", now, operator: ada(null) })
    const end = now + minutes(10)
    const shown = (at: number) => operatorOfPass(whereTokenEnds(end), pass, { kind: "SESSION", now: at })
    assert.strictEqual(Result.getOrThrow(shown(end - 1)).expiresAt, end)
    assert.isTrue(Result.isFailure(shown(end)))
    const later = operatorOfPass(whereTokenEnds(now + minutes(900)), pass, { kind: "SESSION", now: end })
    assert.strictEqual(Result.getOrThrow(later).expiresAt, pass.expiresAt)
  })

  it("that begins by a link lasts four hours, and not five minutes", () => {
    const session = sessionByLink(whereTokenEnds(null), ada(null))
    assert.strictEqual(session.expiresAt, now + minutes(241))
  })

  it("that begins by a link ends with the credential of who made the link", () => {
    const end = now + minutes(30)
    assert.strictEqual(sessionByLink(whereTokenEnds(end), ada(end)).expiresAt, end)
    // a session is a credential, too: a link of it prolongs nothing
    const session = made(whereTokenEnds(null), { kind: "SESSION", now: now - minutes(200), operator: ada(null) })
    const own = operatorOfPass(whereTokenEnds(null), session, { kind: "SESSION", now })
    assert.strictEqual(sessionByLink(whereTokenEnds(null), Result.getOrThrow(own)).expiresAt, session.expiresAt)
  })

  it("is not made of a credential that has come to its end", () => {
    assert.isTrue(Result.isFailure(makePass(settings, { kind: "SESSION", now, operator: ada(now) })))
  })
})
