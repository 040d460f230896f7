// SPDX-License-Identifier: Apache-2.0

//go:build linux || darwin

package paimon

import (
	"crypto/rand"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A cache is a folder that keeps unpacked libraries for the next start. It belongs to this user, and nobody else may write to it. A
// copy gets its name when it is complete and on disk, so that neither a crash nor another process shows a part of one. The name has the
// library's SHA-256 and, to be checked at each start, the file's CRC-32C.
type cache struct {
	path string
	root *os.Root
}

const (
	partSuffix = ".part"        // of a file that is being written
	cacheKeeps = 3              // copies, of as many versions
	touchAfter = 24 * time.Hour // a copy shows that it is used, to the day
)

func loadFromFolder(path string, library packed) (uintptr, error) {
	c, err := openCache(path)
	if err != nil {
		return 0, err
	}
	defer c.root.Close()
	file, name, err := c.provide(library)
	if err != nil {
		return 0, err
	}
	image, err := loadFile(file, filepath.Join(path, name))
	if err != nil {
		file.Close()
		return 0, err
	}
	c.tidy(name)
	return image, nil
}

// openCache opens the folder, or creates it. It looks before it opens, since a pipe of somebody else's would wait for a writer, and then
// whether it has opened what it has seen.
func openCache(path string) (*cache, error) {
	if !filepath.IsAbs(path) {
		return nil, fmt.Errorf("the path must be absolute, or %q", noCache)
	}
	seen, err := os.Lstat(path)
	if os.IsNotExist(err) {
		if err := os.Mkdir(path, 0o700); err != nil && !os.IsExist(err) {
			return nil, reason(err)
		}
		seen, err = os.Lstat(path)
	}
	if err != nil {
		return nil, reason(err)
	}
	if err := checkFolder(seen); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, reason(err)
	}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(opened, seen) {
		err = errors.New("it was replaced while it was opened")
	}
	if err == nil {
		err = checkFolder(opened)
	}
	if err != nil {
		root.Close()
		return nil, reason(err)
	}
	return &cache{path, root}, nil
}

func checkFolder(info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link")
	case !info.IsDir():
		return errors.New("it is not a directory")
	}
	return checkOwner(info)
}

// checkOwner refuses what other users can change.
func checkOwner(info fs.FileInfo) error {
	if user := owner(info); user != os.Geteuid() {
		return fmt.Errorf("it belongs to user %d, and this process is user %d", user, os.Geteuid())
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("others may write to it (%v)", info.Mode())
	}
	return nil
}

// owner gives the number of the user that a file belongs to.
func owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}

// reason leaves away the operation and the path, which the caller says better.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// provide opens the copy of a library, making one where none is right. Several processes may do so at once: all that come later share the
// copy of the first, and in memory too.
func (c *cache) provide(library packed) (file *os.File, name string, err error) {
	file, name, err = c.find(library)
	if file != nil || err != nil {
		return file, name, err
	}
	file, name, err = c.add(library)
	if err != nil {
		return nil, "", reason(err)
	}
	if found, itsName, err := c.find(library); err == nil && found != nil {
		file.Close()
		return found, itsName, nil
	}
	return file, name, nil
}

// copyPrefix and copySuffix are around the CRC in the name of a library's copy.
func copyPrefix(library packed) string { return stem() + library.sha256 + "-" }
func copySuffix() string               { return filepath.Ext(embeddedLibraryName) }
func stem() string                     { return strings.TrimSuffix(embeddedLibraryName, copySuffix()) + "-" }

// find opens the copy that is right and removes those that are not.
func (c *cache) find(library packed) (*os.File, string, error) {
	names, err := c.names()
	if err != nil {
		return nil, "", err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, copyPrefix(library)) || !strings.HasSuffix(name, copySuffix()) {
			continue
		}
		file, err := c.open(name, library)
		switch {
		case err == nil:
			return file, name, nil
		case errors.Is(err, errWrong):
			if err := c.root.Remove(name); err != nil && !os.IsNotExist(err) {
				return nil, "", fmt.Errorf("%s is damaged and cannot be removed: %w", name, reason(err))
			}
		case !os.IsNotExist(err):
			return nil, "", fmt.Errorf("%s: %w", name, reason(err))
		}
	}
	return nil, "", nil
}

func (c *cache) names() ([]string, error) {
	dir, err := c.root.Open(".")
	if err != nil {
		return nil, reason(err)
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// errWrong is what makes a file something else than the copy that its name promises.
var errWrong = errors.New("not the library")

// open opens a copy, or says that it is wrong.
func (c *cache) open(name string, library packed) (*os.File, error) {
	info, err := c.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a pipe would wait for a writer
		return nil, errWrong
	}
	file, err := c.root.Open(name)
	if errors.Is(err, fs.ErrPermission) {
		return nil, errWrong
	}
	if err != nil {
		return nil, err
	}
	if err := c.check(file, name, library); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func (c *cache) check(file *os.File, name string, library packed) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if checkOwner(info) != nil || info.Size() != int64(library.size) {
		return errWrong
	}
	sum := crc32.New(castagnoli())
	if _, err := io.CopyBuffer(sum, struct{ io.Reader }{file}, make([]byte, 256<<10)); err != nil {
		return err
	}
	if name != copyName(library, sum.Sum32()) {
		return errWrong
	}
	if now := time.Now(); now.Sub(info.ModTime()) > touchAfter {
		_ = c.root.Chtimes(name, now, now) // so that tidy knows that it is used
	}
	return nil
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

func copyName(library packed, crc uint32) string {
	return fmt.Sprintf("%s%08x%s", copyPrefix(library), crc, copySuffix())
}

// add unpacks the library into the folder. The file it returns is right, even if another process has removed it again.
func (c *cache) add(library packed) (file *os.File, name string, err error) {
	if err := c.mayRun(); err != nil {
		return nil, "", err
	}
	plain, err := library.unpack()
	if err != nil {
		return nil, "", err
	}
	name = copyName(library, crc32.Checksum(plain, castagnoli()))
	file, err = c.addNameless(name, plain)
	if errors.Is(err, errors.ErrUnsupported) {
		file, err = c.addNamed(name, plain)
	}
	return file, name, err
}

// addNamed writes a file under another name first.
func (c *cache) addNamed(name string, plain []byte) (*os.File, error) {
	c.removeDead()
	file, part, err := c.createPart(name)
	if err != nil {
		return nil, err
	}
	err = fill(file, plain)
	if err == nil {
		err = c.root.Rename(part, name)
	}
	if err != nil {
		_ = c.root.Remove(part)
		file.Close()
		return nil, err
	}
	return file, nil
}

// createPart creates a file and locks it, by which others see that its writer lives. One of them may be quicker and remove it.
func (c *cache) createPart(name string) (file *os.File, part string, err error) {
	for range 3 {
		part = name + "." + rand.Text() + partSuffix
		file, err = c.root.OpenFile(part, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, "", err
		}
		lockErr := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		_, err = c.root.Lstat(part)
		if err == nil && !errors.Is(lockErr, unix.EWOULDBLOCK) {
			return file, part, nil
		}
		file.Close()
	}
	return nil, "", errors.New("each file is removed as soon as it is made")
}

// removeDead removes the files of writers that do not live any more.
func (c *cache) removeDead() {
	names, err := c.names()
	if err != nil {
		return
	}
	for _, name := range names {
		if strings.HasPrefix(name, stem()) && strings.HasSuffix(name, partSuffix) {
			c.removeUnlocked(name)
		}
	}
}

func (c *cache) removeUnlocked(name string) {
	file, err := c.root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0) // a pipe would wait
	if err != nil {
		return
	}
	defer file.Close()
	if unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
		_ = c.root.Remove(name)
	}
}

func fill(file *os.File, plain []byte) error {
	if _, err := file.Write(plain); err != nil {
		return err
	}
	return file.Sync()
}

// copyNames are the names of copies, of whatever version.
var copyNames = regexp.MustCompile(`^` + regexp.QuoteMeta(stem()) + `[0-9a-f]{64}-[0-9a-f]{8}` + regexp.QuoteMeta(copySuffix()) + `$`)

// tidy removes what writers left that died, and copies of other versions that were used longest ago. A process that is just about to
// load one of these holds it open.
func (c *cache) tidy(own string) {
	c.removeDead()
	names, err := c.names()
	if err != nil {
		return
	}
	type old struct {
		name string
		used time.Time
	}
	var others []old
	for _, name := range names {
		if name == own || !copyNames.MatchString(name) {
			continue
		}
		if info, err := c.root.Lstat(name); err == nil {
			others = append(others, old{name, info.ModTime()})
		}
	}
	slices.SortFunc(others, func(a, b old) int { return b.used.Compare(a.used) })
	for _, o := range others[min(len(others), cacheKeeps-1):] {
		_ = c.root.Remove(o.name)
	}
}
