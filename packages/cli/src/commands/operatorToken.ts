import { operatorNamePattern, operatorRoles, sharedOperatorName } from "@bursar/api/operator/Operator"
import { hashToken } from "@bursar/server/keys/operatorTokens"
import { randomBytes } from "node:crypto"
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { identifiedOf, operatorsOf, writeIdentified, writeOperator } from "../config/operators.ts"
import { loginCommand, logoutCommand, whoamiCommand } from "./operatorLogin.ts"
import { endSession, list, sessions } from "./operatorAccess.ts"
import { printRecord, printText } from "./print.ts"

const token = Command.make(
  "token",
  {
    name: Argument.String("name").pipe(Argument.withDescription("The person's name, as the audit log shows it")),
    role: Argument.Literals("role", operatorRoles).pipe(Argument.withDescription("What the person may do")),
    expires: Flag.String("expires").pipe(
      Flag.withDescription("The day at whose start (UTC) the token stops working, such as 2027-06-30"),
      Flag.optional
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ expires, json, name: given, role }) {
    const name = given.toLowerCase()
    if (!operatorNamePattern.test(name) || name === sharedOperatorName) {
      return yield* new CommandFailed({
        message: `${given} is no name for an operator: use 1 to 64 letters, digits and . _ @ -, and not ${sharedOperatorName}.`
      })
    }
    const secret = randomBytes(32).toString("base64url")
    const day = Option.getOrUndefined(expires)
    const operators = writeOperator({ name, role, tokenHash: hashToken(secret), ...(day === undefined ? {} : { day }) })
    const [made] = operatorsOf(operators)
    if (made === undefined)
      return yield* new CommandFailed({ message: `${day ?? ""} is no day: write it as 2027-06-30.` })
    if (made.expiresAt !== null && made.expiresAt <= (yield* Clock.currentTimeMillis))
      return yield* new CommandFailed({ message: `${day ?? ""} has begun already: the token would never work.` })
    yield* printRecord(json, { operators, token: secret })
    if (json) return
    yield* printText(
      "\nAdd the first line to OPERATORS of the service. Give the token to the person: it is shown this once."
    )
  })
).pipe(
  Command.withDescription("Make a token for an operator; the service gets its hash alone"),
  Command.withExamples([
    { command: "bursar operator token alice approver --expires 2027-06-30", description: "A token until that day" }
  ])
)

const identity = Command.make(
  "identity",
  {
    name: Argument.String("name").pipe(Argument.withDescription("The person's name, as the audit log shows it")),
    role: Argument.Literals("role", operatorRoles).pipe(Argument.withDescription("What the person may do at most")),
    subject: Argument.String("subject").pipe(
      Argument.withDescription("Who it is at the identity provider: what its tokens say in the claim sub")
    ),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ json, name, role, subject }) {
    const operators = writeIdentified({ name: name.toLowerCase(), role, subject })
    if (identifiedOf(operators).length !== 1 || name.toLowerCase() === sharedOperatorName)
      return yield* new CommandFailed({ message: `${name} is no name for an operator, or the subject is none.` })
    yield* printRecord(json, { operators })
  })
).pipe(
  Command.withDescription("Write the entry of OPERATORS for an operator who signs in at the identity provider"),
  Command.withExamples([
    {
      command: "bursar operator identity alice approver 5f2b7c0a-6c0e-4b0e-9c57-5d5a2a1b8a10",
      description: "The person whom the provider knows by this subject"
    }
  ])
)

/** `bursar operator …` */
export const operatorCommand = Command.make("operator").pipe(
  Command.withDescription("The people who operate the service"),
  Command.withSubcommands([token, identity, loginCommand, logoutCommand, whoamiCommand, list, sessions, endSession])
)
