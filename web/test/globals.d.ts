// SPDX-License-Identifier: Apache-2.0
/// Globals that the tests find in the page.
import type { ScriptApi } from "../src/ui/script_api";

declare global {
    var spume: ScriptApi;
    interface Window {
        gc?: () => void;
    }
}
