import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Option } from "effect"
import { serve } from "../../src/assemble/serve.ts"
import { work } from "../../src/assemble/work.ts"
import { serveSettings, workSettings } from "../../src/config/environment.ts"
import { layerOutside } from "./layerOutside.ts"
import { outsideVariable } from "./outsideVariable.ts"

// `bursar serve` or `bursar work` but for the providers: the same layers, configured by the same variables
const providers = layerOutside(process.env[outsideVariable] ?? "")

const member =
  process.argv[2] === "serve"
    ? Effect.flatMap(serveSettings(Option.none()), (settings) => serve(settings, providers))
    : Effect.flatMap(workSettings(Option.none()), (settings) => work(settings, providers))

NodeRuntime.runMain(Effect.provide(member, NodeServices.layer))
