import { type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import { Clock, Effect } from "effect"
import type { CcxtOptions } from "../CcxtOptions.ts"
import type { CallError } from "./CallError.ts"
import type { Profile } from "./Profile.ts"

const absentAfterMsDefault = 600_000

/** Some exchanges forget orders after a day: later, not finding one says nothing. */
const absentUntilMs = 20 * 3_600_000

/**
 * How long after its intent was recorded an order is sent. The exchanges refuse requests that are older than two minutes, so
 * what is sent before this has been taken or refused well before its absence counts (`absentAfterMs`).
 */
const sendWithinMsMax = 120_000

/** From when on an order is too old to be sent: well before its absence counts, however short that is. */
export const sendBeforeOf = ({ absentAfterMs = absentAfterMsDefault }: CcxtOptions, sentAt: number): number =>
  sentAt + Math.min(sendWithinMsMax, absentAfterMs / 4)

/** The refusal of an order that is too old to be sent; null where it is not. */
export const tooLate = (options: CcxtOptions, sentAt: number): Effect.Effect<ProviderResult<never> | null> =>
  Effect.map(Clock.currentTimeMillis, (now) =>
    now >= sendBeforeOf(options, sentAt) ? refused("the order is too old to be sent") : null
  )

/** What a call that moves value says by failing: a certain "no" only where the exchange's own code is one. */
export const answerOf = (profile: Profile, error: CallError): ProviderResult<never> => {
  if (error.kind === "Unsent") return refused(error.message)
  return error.kind === "Answered" && profile.isCertain(error.code, error.detail)
    ? refused(error.message)
    : unknown(error.message)
}

/**
 * What it says that a search by our reference finds nothing. An order whose acceptance was seen is never absent; any other
 * one is, once it can no longer be on its way and before the exchange may have forgotten it.
 */
export const answerOfAbsence = (
  { absentAfterMs = absentAfterMsDefault }: CcxtOptions,
  findsByReference: boolean,
  sentAt: number,
  providerReference: string | null
): Effect.Effect<ProviderResult<never>> =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    if (providerReference !== null) return unknown("the exchange took it and does not show it")
    if (!findsByReference) return unknown("the exchange knows no reference of ours, and shows nothing like it")
    const age = now - sentAt
    if (age < absentAfterMs) return unknown("the exchange does not show it yet")
    return age > absentUntilMs
      ? unknown("it was sent too long ago for the exchange to tell")
      : refused("the exchange never took it")
  })
