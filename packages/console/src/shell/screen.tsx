import { type ComponentType, useEffect, useState } from "react"
import { forgetLoadedAnew } from "./release.ts"
import { Unloaded } from "./Unloaded.tsx"

/** Where the loading of code stands. `mayRepeat`: nobody has asked for it again since a person did. */
type Loading<Props> =
  | { readonly _tag: "There"; readonly component: ComponentType<Props> }
  | { readonly _tag: "OnItsWay" | "Failed"; readonly mayRepeat: boolean }

/**
 * A screen, or a part of one, whose code is loaded when somebody first comes to it. Code that could not be loaded is asked for again in the same page:
 * once by itself, and then whenever a person asks.
 */
export const screen = <Name extends string, Props extends object>(
  load: () => Promise<{ readonly [key in Name]: ComponentType<Props> }>,
  name: Name,
  part = "page"
): ComponentType<Props> => {
  let known: Loading<Props> = { _tag: "OnItsWay", mayRepeat: true }
  return (props) => {
    const [loading, setLoading] = useState(known)
    useEffect(() => {
      if (loading._tag !== "OnItsWay") return undefined
      let isLeft = false
      load().then(
        (module) => {
          known = { _tag: "There", component: module[name] }
          forgetLoadedAnew()
          if (!isLeft) setLoading(known)
        },
        () => {
          if (!isLeft) setLoading({ ...loading, _tag: "Failed" })
        }
      )
      return () => {
        isLeft = true
      }
    }, [loading])
    if (loading._tag === "There") return <loading.component {...props} />
    if (loading._tag === "OnItsWay") return <p className="muted">Loading …</p>
    const again = (mayRepeat: boolean) => setLoading({ _tag: "OnItsWay", mayRepeat })
    return <Unloaded part={part} repeat={loading.mayRepeat ? () => again(false) : null} again={() => again(true)} />
  }
}
