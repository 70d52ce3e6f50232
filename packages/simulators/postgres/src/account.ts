import { Effect } from "effect"
import { execFile } from "node:child_process"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"

/** A system account by its numbers. */
export interface Account {
  readonly uid: number
  readonly gid: number
}

const denied = (message: string, cause?: unknown) =>
  new DevnetError({
    code: "permission_denied",
    message,
    hint: "Run as an ordinary user, or from a directory that other users may enter.",
    ...(cause === undefined ? {} : { cause })
  })

const output = (command: string, args: ReadonlyArray<string>, account?: Account) =>
  Effect.callback<string, unknown>((resume) => {
    execFile(command, [...args], { ...account }, (error, stdout) => {
      resume(error === null ? Effect.succeed(stdout.trim()) : Effect.fail(error))
    })
  })

const lookUp = (name: string) =>
  Effect.map(Effect.all([output("id", ["-u", name]), output("id", ["-g", name])]), ([uid, gid]): Account => ({
    uid: Number(uid),
    gid: Number(gid)
  }))

/**
 * The account PostgreSQL runs under: our own (undefined), or, for root, which PostgreSQL refuses, the account
 * `postgres` if the system has one and `nobody` otherwise. No account is created.
 */
export const serverAccount: Effect.Effect<Account | undefined, DevnetError> = Effect.suspend(() =>
  process.getuid?.() !== 0
    ? Effect.succeed<Account | undefined>(undefined)
    : Effect.catch(lookUp("postgres"), () => lookUp("nobody")).pipe(
        Effect.mapError((cause) =>
          denied("PostgreSQL does not run as root, and there is no other account to use", cause)
        )
      )
)

/** A command line, perhaps wrapped so that it runs under another account. */
export interface AccountCommand {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly account?: Account
}

/** Turns a program and its arguments into what has to be started. */
export type RunAs = (command: string, args: ReadonlyArray<string>) => AccountCommand

/**
 * How to run programs under `account` so that they reach `paths`.
 *
 * **Details**
 *
 * Root's checkout is often below a directory that only root may enter, such as /root. Then the account is given the one
 * capability to pass through directories (CAP_DAC_OVERRIDE, by `setpriv`), which is less than root has and enough.
 */
export const runAs = Effect.fn("account.runAs")(function* (
  account: Account | undefined,
  paths: ReadonlyArray<string>
): Effect.fn.Return<RunAs, DevnetError> {
  if (account === undefined) return (command, args) => ({ command, args })
  const plain: RunAs = (command, args) => ({ command, args, account })
  const withCapability: RunAs = (command, args) => ({
    command: "setpriv",
    args: [
      ...[`--reuid=${account.uid}`, `--regid=${account.gid}`, "--clear-groups"],
      ...["--inh-caps=+dac_override", "--ambient-caps=+dac_override", command, ...args]
    ]
  })
  const reaches = (run: RunAs) => {
    const probe = run("/bin/ls", ["-d", ...paths])
    return output(probe.command, probe.args, probe.account)
  }
  return yield* Effect.as(reaches(plain), plain).pipe(
    Effect.catch(() => Effect.as(reaches(withCapability), withCapability)),
    Effect.mapError((cause) =>
      denied(`the account ${account.uid} that runs PostgreSQL cannot reach ${paths.join(", ")}`, cause)
    )
  )
})
