// SPDX-License-Identifier: Apache-2.0
/// What the tests find in the page.
import type { Door } from "../src/ui/door";

declare global {
    var spume: Door;
    interface Window {
        gc?: () => void;
    }
}
