import { printable } from "@bursar/api/wire/printable"
import { useEffect } from "react"

let screen: string | undefined

const become = (subject?: string): void => {
  document.title = [subject, screen, "Bursar"].filter((part) => part !== undefined).join(" · ")
}

/** Has the tab and the history say which screen is shown. What the screen is about is not known yet. */
export const entitle = (title: string | undefined): void => {
  screen = title
  become()
}

/** Has the tab and the history say what a screen is about, so that several can be told apart. */
export const Titled = ({ subject }: { readonly subject: string }) => {
  useEffect(() => {
    become(printable(subject))
    return () => become()
  }, [subject])
  return null
}
