package provider

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/statestore"
	"github.com/hashicorp/terraform-plugin-framework/statestore/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// folderStore is a state store in the folder: states/ID.tfstate and
// states/ID.lock. Protocol 6 only.
type folderStore struct{ folder string }

func newFolderStore() statestore.StateStore { return &folderStore{} }

func (s *folderStore) Metadata(_ context.Context, req statestore.MetadataRequest, resp *statestore.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_folder"
}

func (s *folderStore) Schema(_ context.Context, _ statestore.SchemaRequest, resp *statestore.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"subfolder": schema.StringAttribute{Optional: true},
	}}
}

// Initialize finds the folder once; Configure hands it to every later call.
func (s *folderStore) Initialize(ctx context.Context, req statestore.InitializeRequest, resp *statestore.InitializeResponse) {
	var sub types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("subfolder"), &sub)...)
	d, ok := req.ProviderData.(*data)
	if !ok {
		resp.Diagnostics.AddError("No folder", "The provider is not configured.")
		return
	}
	folder := filepath.Join(d.Folder, "states", sub.ValueString())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		resp.Diagnostics.AddError("The folder can't be made", err.Error())
		return
	}
	resp.StateStoreData = folder
}

func (s *folderStore) Configure(_ context.Context, req statestore.ConfigureRequest, _ *statestore.ConfigureResponse) {
	s.folder, _ = req.StateStoreData.(string)
}

func (s *folderStore) file(id, kind string) string {
	return filepath.Join(s.folder, filepath.Base(id)+kind)
}

func (s *folderStore) GetStates(_ context.Context, _ statestore.GetStatesRequest, resp *statestore.GetStatesResponse) {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		resp.Diagnostics.AddError("The folder can't be read", err.Error())
		return
	}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".tfstate"); ok {
			resp.StateIDs = append(resp.StateIDs, id)
		}
	}
}

func (s *folderStore) DeleteState(_ context.Context, req statestore.DeleteStateRequest, resp *statestore.DeleteStateResponse) {
	if err := os.Remove(s.file(req.StateID, ".tfstate")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		resp.Diagnostics.AddError("The state can't be deleted", err.Error())
	}
}

func (s *folderStore) Lock(_ context.Context, req statestore.LockRequest, resp *statestore.LockResponse) {
	info := statestore.NewLockInfo(req)
	text, _ := json.Marshal(info)
	f, err := os.OpenFile(s.file(req.StateID, ".lock"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		s.refuseLock(req, resp)
		return
	}
	if err != nil {
		resp.Diagnostics.AddError("The lock can't be taken", err.Error())
		return
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		resp.Diagnostics.AddError("The lock can't be written", err.Error())
	}
	resp.LockID = info.ID
}

func (s *folderStore) refuseLock(req statestore.LockRequest, resp *statestore.LockResponse) {
	var holder statestore.LockInfo
	text, err := os.ReadFile(s.file(req.StateID, ".lock"))
	if err == nil {
		err = json.Unmarshal(text, &holder)
	}
	if err != nil {
		resp.Diagnostics.AddError("The lock can't be read", err.Error())
		return
	}
	resp.Diagnostics.Append(statestore.WorkspaceAlreadyLockedDiagnostic(req, holder))
}

func (s *folderStore) Unlock(_ context.Context, req statestore.UnlockRequest, resp *statestore.UnlockResponse) {
	var holder statestore.LockInfo
	text, err := os.ReadFile(s.file(req.StateID, ".lock"))
	if err == nil {
		err = json.Unmarshal(text, &holder)
	}
	if err == nil && holder.ID != req.LockID {
		err = errors.New("the lock is held by " + holder.ID)
	}
	if err == nil {
		err = os.Remove(s.file(req.StateID, ".lock"))
	}
	if err != nil {
		resp.Diagnostics.AddError("The lock can't be released", err.Error())
	}
}

func (s *folderStore) Read(_ context.Context, req statestore.ReadRequest, resp *statestore.ReadResponse) {
	text, err := os.ReadFile(s.file(req.StateID, ".tfstate"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		resp.Diagnostics.AddError("The state can't be read", err.Error())
	}
	resp.StateBytes = text
}

func (s *folderStore) Write(_ context.Context, req statestore.WriteRequest, resp *statestore.WriteResponse) {
	target := s.file(req.StateID, ".tfstate")
	err := os.WriteFile(target+".new", req.StateBytes, 0o644)
	if err == nil {
		err = os.Rename(target+".new", target)
	}
	if err != nil {
		resp.Diagnostics.AddError("The state can't be written", err.Error())
	}
}
