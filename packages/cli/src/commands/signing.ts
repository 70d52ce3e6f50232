import { Effect, type Option } from "effect"
import { Flag, Prompt } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { passphraseFlag } from "./approver.ts"

/** The key file that a person signs with. */
export const keyFlag = Flag.String("key").pipe(Flag.withDescription("Your key file (bursar approver init)"))

/** How a person agrees to sign. */
export const signingFlags = {
  ...passphraseFlag,
  yes: Flag.Boolean("yes").pipe(Flag.withDescription("Sign without asking, for programs"), Flag.withDefault(false))
}

/** Whether somebody at the terminal agrees; where there is none, nobody does. */
const agrees = (message: string) =>
  Effect.suspend(() =>
    process.stdin.isTTY
      ? Effect.orElseSucceed(Prompt.Confirm({ message, initial: false }), () => false)
      : Effect.succeed(false)
  )

/** Opens a person's key once, for everything that was shown, after the person has agreed. */
export const openToSign = Effect.fn("signing.openToSign")(function* (
  {
    key,
    passphraseFile,
    yes
  }: { readonly key: string; readonly passphraseFile: Option.Option<string>; readonly yes: boolean },
  question: string
) {
  const agreed = yes || (yield* agrees(question))
  if (!agreed) return yield* new CommandFailed({ message: "Nothing was signed." })
  const { openApproverKey } = yield* Effect.promise(() => import("../config/approverKey.ts"))
  return yield* openApproverKey(key, passphraseFile)
})
