// SPDX-License-Identifier: Apache-2.0
#ifndef SP_RENDER_PICTURE_FONT_H
#define SP_RENDER_PICTURE_FONT_H

/// Text and colour bars on pictures. Pixels are 8-bit RGB rows from the top left, width*height*3
/// bytes; what lies outside is clipped.

enum { SP_FONT_WIDTH = 6, SP_FONT_HEIGHT = 8 }; ///< of a character's cell, gap included

/// Draws a line of ASCII with its top left corner at (x, y), each dot as scale x scale pixels.
/// Bytes that are not printable ASCII become a hollow box.
void sp_picture_text(unsigned char *pixels, int width, int height, int x, int y, int scale,
                     const unsigned char rgb[3], const char *text);
int sp_picture_text_width(const char *text, int scale); ///< pixels, without the gap at the end
/// A filled rectangle.
void sp_picture_box(unsigned char *pixels, int width, int height, int x, int y, int w, int h,
                    const unsigned char rgb[3]);

/// The colour of a number from 0 to 1 (clamped; NaN is 0): dark violet, blue, teal, green, yellow.
/// Brightness increases along the ramp, so that the order also shows in grey.
void sp_picture_ramp(float t, unsigned char rgb[3]);
/// The legend of a diagnostic picture: a bar of the ramp in the lower left corner with `title`
/// above it and the numbers at its ends and middle below. Its size follows the picture's; a picture
/// that is too small gets none.
void sp_picture_bar(unsigned char *pixels, int width, int height, const char *title, double low,
                    double high);

#endif
