import { createClient } from "@bursar/client"
import { makeOperatorClient } from "@bursar/client/effect"
import { Cause, Clock, Console, Effect, Exit, Option, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { styleText } from "node:util"
import type { Handshake } from "@bursar/cli/config/Handshake"
import { trustOf } from "@bursar/cli/config/grantRoot"
import type { DemoApprovers } from "../approvers.ts"
import { type Ending, openBoard } from "./Board.ts"
import { chapters } from "./chapters.ts"
import { openInbox } from "./Inbox.ts"
import { retireEndpoints } from "./retireEndpoints.ts"
import type { Chapter, Scene } from "./Scene.ts"
import { SceneFailed } from "./SceneFailed.ts"
import { type Played, summary } from "./summary.ts"
import type { World } from "./World.ts"

/** Plays a scene to its end, whatever that is: a failure ends the scene, never the story. */
const playScene = Effect.fnUntraced(function* (
  scene: Scene,
  world: World,
  reached: (stage: string) => Effect.Effect<void>
): Effect.fn.Return<Ending> {
  const before = yield* Clock.currentTimeMillis
  const exit = yield* Effect.exit(scene.play(world, reached))
  const ms = (yield* Clock.currentTimeMillis) - before
  if (Exit.isSuccess(exit)) {
    const [words = "", ...lines] = exit.value.split("\n")
    return { ok: true, words, lines, ms }
  }
  if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
  const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  // a bug in the story is shown with all that is known of it
  return { ok: false, words: failure?.message ?? Cause.pretty(exit.cause), lines: [], ms }
})

const playChapter = Effect.fnUntraced(function* (chapter: Chapter, number: number, world: World) {
  yield* Console.log(`\n${styleText(["bold", "cyan"], `${number}  ${chapter.title}`)}`)
  yield* Console.log(`${styleText("dim", chapter.words.replaceAll(/^/gmu, "   "))}\n`)
  const played = yield* Effect.gen(function* () {
    const board = yield* openBoard(chapter.scenes.map(({ name }) => name))
    return yield* Effect.forEach(
      chapter.scenes,
      (scene, index) =>
        Effect.gen(function* () {
          const ending = yield* playScene(scene, world, (stage) => board.reached(index, stage))
          yield* board.ended(index, ending)
          return { chapter: chapter.title, scene: scene.name, ending } satisfies Played
        }),
      { concurrency: "unbounded" }
    )
  }).pipe(Effect.scoped)
  for (const line of played.flatMap(({ ending }) => ending.lines)) yield* Console.log(`     ${line}`)
  return played
})

const openWorld = Effect.fnUntraced(function* (handshake: Handshake, approvers: DemoApprovers) {
  const [tenant] = handshake.tenants
  if (tenant === undefined) return yield* new SceneFailed({ message: "The handshake has no tenant." })
  const signingKey: JsonWebKey = tenant.signing.private_jwk
  const operator = yield* makeOperatorClient({
    baseUrl: handshake.operator_url,
    token: Redacted.make(handshake.operator_token)
  }).pipe(Effect.provide(FetchHttpClient.layer))
  const inbox = yield* openInbox
  // closed with the story, and no deliveries are tried any more
  yield* Effect.addFinalizer(() => Effect.ignore(retireEndpoints(operator, tenant.id)))
  const world: World = {
    handshake,
    tenant,
    client: createClient({ baseUrl: handshake.partner_url, apiKey: tenant.keys["all"] ?? "", signingKey }),
    operator,
    approvers: approvers.approvers,
    trust: yield* trustOf(approvers.root),
    inbox,
    run: (yield* Clock.currentTimeMillis).toString(36)
  }
  return world
})

/**
 * Plays the whole story of the service through its public interfaces, as a partner with the client does, and tells it: every
 * step, what came of it and how long it took. A step that fails is told with its reason, and the story goes on.
 */
export const playDemo = Effect.fn("demo.playDemo")(function* (handshake: Handshake, approvers: DemoApprovers) {
  yield* Console.log(styleText("bold", "The demo: a partner's day, over the public interface with @bursar/client."))
  const world = yield* openWorld(handshake, approvers)
  const played = yield* Effect.forEach(chapters, (chapter, index) => playChapter(chapter, index + 1, world))
  yield* Console.log(summary(played.flat(), world.inbox.received()))
}, Effect.scoped)
