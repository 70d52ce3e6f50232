import { Effect } from "effect"
import { bursar } from "./bursar.ts"
import { sqlOn } from "./world.ts"

const processes = ["serve", "work", "sign"] as const

/**
 * Makes the roles of a database with `bursar migrate`, and a login for each process. Gives the database's URL as each of them; the roles go with
 * the scope, so open it before the processes.
 */
export const openWorldRoles = Effect.fnUntraced(function* (databaseUrl: string) {
  const sql = yield* sqlOn(databaseUrl)
  const prefix = `t${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`
  const made = processes.flatMap((process) => [`${prefix}_${process}_login`, `${prefix}_${process}`])
  // with a pool of its own: that of a scope that closes opens no connection any more, and whoever asks it for one waits for ever
  const drop = Effect.flatMap(sqlOn(databaseUrl), (own) =>
    Effect.forEach(made, (role) =>
      Effect.andThen(own.unsafe(`drop owned by "${role}"`), own.unsafe(`drop role "${role}"`))
    )
  )
  yield* Effect.addFinalizer(() => Effect.ignore(Effect.scoped(drop)))
  const { code, stderr } = yield* bursar(["migrate", "--roles", prefix, "--apply"], {
    env: { DATABASE_URL: databaseUrl }
  })
  if (code !== 0) return yield* Effect.die(new Error(stderr))
  const loginOf = Effect.fnUntraced(function* (process: (typeof processes)[number]) {
    const login = `${prefix}_${process}_login`
    yield* sql.unsafe(`create role "${login}" login password 'secret' in role "${prefix}_${process}"`)
    const url = new URL(databaseUrl)
    url.username = login
    url.password = "secret"
    return url.toString()
  })
  return { serve: yield* loginOf("serve"), work: yield* loginOf("work"), sign: yield* loginOf("sign") }
})
